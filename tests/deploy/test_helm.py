"""The chart: rendered by Helm, held against Kubernetes' own schemas, and against our settings."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from animator.__main__ import build_parser
from animator.settings import Settings, load_settings
from serving.settings import ServerSettings
from tests.support_helm import CHART, NEEDED, Manifest, helm, named, render
from tests.support_prometheus import DEPLOY, adapter_queries, promtool

PARTS = ("web", "worker", "inference")
EVERYTHING = (
    *NEEDED,
    "storage.endpoint=https://store:9000",
    "storage.region=eu",
    "storage.pathStyle=true",
    "storage.existingSecret=store",
    "image.tag=v1",
    "image.pullSecrets={pull}",
    "settings.ANIMATOR_KEEP_DAYS=7",
    "serviceAccount.annotations.role=r",
    "worker.autoscaling.enabled=true",
    "inference.autoscaling.enabled=true",
    "inference.existingConfig=tuned",
    "inference.nodeSelector.gpu=yes",
    "ingress.enabled=true",
    "ingress.className=nginx",
    "ingress.host=draw.school",
    "ingress.tlsSecret=tls",
    "serviceMonitor.enabled=true",
)
VERSIONS = ("1.29", "1.37")
"""The oldest that the chart takes, and the newest whose schemas we have."""


@cache
def least() -> list[Manifest]:
    return render()


@cache
def most() -> list[Manifest]:
    return render(EVERYTHING)


def container(part: str, manifests: list[Manifest]) -> Any:
    deployment = named(manifests, "Deployment", f"demo-animator-{part}")
    (found,) = deployment["spec"]["template"]["spec"]["containers"]
    return found


def environment(part: str, manifests: list[Manifest]) -> dict[str, str]:
    given = container(part, manifests)["env"]
    return {variable["name"]: variable.get("value", "") for variable in given}


def test_linter_has_nothing_to_say() -> None:
    flags = [word for setting in NEEDED for word in ("--set", setting)]
    found = helm("lint", "--strict", str(CHART), *flags)
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("manifests", [least, most], ids=["least", "most"])
def test_what_is_rendered_keeps_to_the_schemas_of_kubernetes(manifests: Any, version: str) -> None:
    """Strictly: no field that Kubernetes does not know."""
    checked = [m for m in manifests() if not m["apiVersion"].startswith("monitoring.coreos.com")]
    for manifest in checked:
        kubernetes_validate.validate(manifest, version, strict=True)
    assert len(checked) >= 12


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("redis.existingSecret=", "redis"),
        ("storage.url=/mnt/drawings", "storage"),
        ("web.replica=2", "replica"),
        ("drainSeconds=-1", "drainSeconds"),
        ("settings.PATH=/bin", "PATH"),
    ],
)
def test_wrong_value_is_refused_by_its_name(setting: str, complaint: str) -> None:
    flags = [word for given in (*NEEDED, setting) for word in ("--set", given)]
    found = helm("template", "demo", str(CHART), *flags)
    assert found.returncode != 0
    assert complaint in found.stderr


@pytest.mark.parametrize("part", PARTS)
def test_part_is_a_role_with_settings_that_exist(part: str) -> None:
    args = build_parser().parse_args(["serve", *container(part, most())["args"]])
    assert args.role == part
    given = environment(part, most())
    known = {f"ANIMATOR_{name.upper()}" for name in Settings.__struct_fields__}
    known |= {f"SERVING_{name.upper()}" for name in ServerSettings.__struct_fields__}
    known |= {"REDIS_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    assert given.keys() <= known
    settings = load_settings(environment={k: v for k, v in given.items() if v})
    assert settings.drain_seconds == 5
    assert settings.keep_days == 7


@pytest.mark.parametrize("part", PARTS)
def test_part_runs_for_no_root_and_writes_only_where_nothing_stays(part: str) -> None:
    pod = named(most(), "Deployment", f"demo-animator-{part}")["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    held = container(part, most())
    assert held["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert held["resources"]["limits"]["memory"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    for mount in held["volumeMounts"]:
        assert mount.get("readOnly") or "emptyDir" in volumes[mount["name"]]


@pytest.mark.parametrize("part", PARTS)
def test_part_is_given_longer_to_stop_than_it_takes(part: str) -> None:
    """It goes on for the drain, and has four seconds for what is under way then."""
    pod = named(most(), "Deployment", f"demo-animator-{part}")["spec"]["template"]["spec"]
    drain = int(environment(part, most())["ANIMATOR_DRAIN_SECONDS"])
    # Three looks of the probe that takes it off.
    assert drain + 4 < pod["terminationGracePeriodSeconds"]
    probe = container(part, most())["readinessProbe"]
    assert part == "worker" or probe["periodSeconds"] * probe["failureThreshold"] < drain


@pytest.mark.parametrize("part", ["web", "inference"])
def test_probes_and_services_lead_to_ports_that_are_open(part: str) -> None:
    held = container(part, most())
    ports = {port["name"]: port["containerPort"] for port in held["ports"]}
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert held[probe]["httpGet"]["port"] in ports
    service = named(most(), "Service", f"demo-animator-{part}")["spec"]
    assert {port["targetPort"]: port["port"] for port in service["ports"]} == ports
    settings = Settings()
    expected = {
        "web": (settings.port, settings.app_metrics_port),
        "inference": (settings.inference_port, settings.metrics_port),
    }
    assert (ports["http"], ports["metrics"]) == expected[part]


def test_workers_find_the_models() -> None:
    service = named(least(), "Service", "demo-animator-inference")["metadata"]["name"]
    assert environment("worker", least())["ANIMATOR_INFERENCE_URL"] == f"http://{service}:8080"


def test_selectors_name_the_pods_of_one_part() -> None:
    """Of budgets, policies, services and monitors alike; nothing selects two parts."""
    labels = {
        part: named(most(), "Deployment", f"demo-animator-{part}")["spec"]["template"]["metadata"]
        for part in PARTS
    }
    for manifest in most():
        spec = manifest.get("spec", {})
        chosen = spec.get("podSelector") or spec.get("selector")
        if chosen is None:
            continue
        wanted = chosen.get("matchLabels", chosen).items()
        found = [part for part in PARTS if wanted <= labels[part]["labels"].items()]
        assert found == [manifest["metadata"]["labels"]["app.kubernetes.io/component"]]


def test_models_reach_nobody() -> None:
    policy = named(least(), "NetworkPolicy", "demo-animator-inference")["spec"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert policy["egress"] == []


def test_number_of_replicas_is_left_to_the_autoscaler() -> None:
    for part in ("worker", "inference"):
        assert "replicas" not in named(most(), "Deployment", f"demo-animator-{part}")["spec"]
        assert named(least(), "Deployment", f"demo-animator-{part}")["spec"]["replicas"] == 2
        scaler = named(most(), "HorizontalPodAutoscaler", f"demo-animator-{part}")["spec"]
        assert scaler["scaleTargetRef"]["name"] == f"demo-animator-{part}"


def test_autoscaling_goes_by_metrics_that_the_adapter_serves() -> None:
    asked = {
        metric["external"]["metric"]["name"]
        for part in ("worker", "inference")
        for metric in named(most(), "HorizontalPodAutoscaler", f"demo-animator-{part}")["spec"][
            "metrics"
        ]
    }
    assert asked == adapter_queries("").keys()


def test_queries_of_the_adapter_are_valid(tmp_path: Path) -> None:
    queries = adapter_queries('queue="a"')
    rules = [{"record": name, "expr": query} for name, query in queries.items()]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "adapter", "rules": rules}]}))
    found = promtool("check", "rules", str(file))
    assert found.returncode == 0, found.stdout + found.stderr


def test_monitors_call_jobs_as_dashboards_and_alerts_do() -> None:
    config = yaml.safe_load((DEPLOY / "prometheus" / "compose.yml").read_text())
    jobs = {job["job_name"] for job in config["scrape_configs"]}
    monitors = [m for m in most() if m["kind"] == "ServiceMonitor"]
    for monitor in monitors:
        (endpoint,) = monitor["spec"]["endpoints"]
        assert endpoint["relabelings"][0]["replacement"] in jobs
    assert len(monitors) == 2


def test_chart_is_of_the_version_of_the_product() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    project = (CHART.parents[2] / "pyproject.toml").read_text()
    assert re.search(r'^version = "(.+)"', project, re.MULTILINE)[1] == chart["appVersion"]  # type: ignore[index]
