{{/* What the three parts have in common. Each is called with {root, part}. */}}

{{- define "animator.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "animator.selector" -}}
app.kubernetes.io/name: animator
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "animator.labels" -}}
{{ include "animator.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "animator.meta" -}}
name: {{ include "animator.name" .root }}-{{ .part }}
labels:
  {{- include "animator.labels" . | nindent 2 }}
{{- end -}}

{{/* The pod but for its containers. */}}
{{- define "animator.pod" -}}
{{- $values := index .root.Values .part -}}
serviceAccountName: {{ include "animator.name" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ add .root.Values.drainSeconds 10 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: {type: RuntimeDefault}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "animator.selector" . | nindent 8 }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The container but for its ports, probes and own environment. */}}
{{- define "animator.container" -}}
{{- $values := index .root.Values .part -}}
name: {{ .part }}
image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
resources:
  {{- toYaml $values.resources | nindent 2 }}
{{- end -}}

{{- define "animator.environment" -}}
- {name: ANIMATOR_DATA_DIR, value: /data}
- {name: ANIMATOR_DRAIN_SECONDS, value: {{ .root.Values.drainSeconds | quote }}}
- {name: ANIMATOR_LOG_FORMAT, value: json}
{{- range $name, $value := .root.Values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end -}}

{{/* Of the parts that share the queue and the store. */}}
{{- define "animator.shared" -}}
- name: REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "redis.existingSecret must name a Secret with the URL of a Redis" .root.Values.redis.existingSecret }}
      key: {{ .root.Values.redis.key }}
- {name: ANIMATOR_STORE, value: {{ required "storage.url must name an object store, as s3://bucket/prefix" .root.Values.storage.url | quote }}}
{{- with .root.Values.storage.endpoint }}
- {name: ANIMATOR_STORE_ENDPOINT, value: {{ . | quote }}}
{{- end }}
{{- with .root.Values.storage.region }}
- {name: ANIMATOR_STORE_REGION, value: {{ . | quote }}}
{{- end }}
{{- if .root.Values.storage.pathStyle }}
- {name: ANIMATOR_STORE_PATH_STYLE, value: "true"}
{{- end }}
{{- with .root.Values.storage.existingSecret }}
{{- range $key := list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
- name: {{ $key }}
  valueFrom: {secretKeyRef: {name: {{ $.root.Values.storage.existingSecret }}, key: {{ $key }}}}
{{- end }}
{{- end }}
{{- end -}}

{{/* All that a part may write to; nothing in it outlives the pod. */}}
{{- define "animator.mounts" -}}
- {name: data, mountPath: /data}
- {name: tmp, mountPath: /tmp}
{{- end -}}

{{- define "animator.volumes" -}}
- {name: data, emptyDir: {sizeLimit: 4Gi}}
- {name: tmp, emptyDir: {sizeLimit: 2Gi}}
{{- end -}}
