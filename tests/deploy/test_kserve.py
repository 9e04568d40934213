"""KServe's runtime and service, against Kubernetes' schemas, our settings, and KServe's own."""

import os
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from serving.settings import ServerSettings
from tests.support_helm import Manifest
from tests.support_prometheus import DEPLOY

FILES = ("serving-runtime", "inference-service")


def read(name: str) -> Manifest:
    found: Manifest = yaml.safe_load((DEPLOY / "kserve" / f"{name}.yaml").read_text())
    return found


def test_container_of_the_runtime_is_one_of_kubernetes() -> None:
    spec = read("serving-runtime")["spec"]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "runtime"},
        "spec": {"containers": spec["containers"], "volumes": spec["volumes"]},
    }
    kubernetes_validate.validate(pod, "1.37", strict=True)


def test_runtime_starts_our_server_with_settings_that_exist() -> None:
    (container,) = read("serving-runtime")["spec"]["containers"]
    assert container["name"] == "kserve-container"
    assert container["command"] == ["serving", "start"]
    names = {variable["name"].removeprefix("SERVING_").lower() for variable in container["env"]}
    assert names <= set(ServerSettings.__struct_fields__)
    assert {port["containerPort"] for port in container["ports"]} == {
        ServerSettings().inference_port
    }
    assert read("serving-runtime")["spec"]["protocolVersions"] == ["v2"]


def test_service_asks_for_the_runtime_and_gives_it_the_time_to_stop() -> None:
    runtime = read("serving-runtime")
    predictor = read("inference-service")["spec"]["predictor"]
    assert predictor["model"]["runtime"] == runtime["metadata"]["name"]
    assert predictor["model"]["modelFormat"] in [
        {"name": form["name"], "version": form["version"]}
        for form in runtime["spec"]["supportedModelFormats"]
    ]
    (container,) = runtime["spec"]["containers"]
    given = {variable["name"]: variable["value"] for variable in container["env"]}
    assert float(given["SERVING_DRAIN_S"]) + 4 < predictor["terminationGracePeriodSeconds"]


@pytest.mark.peer
@pytest.mark.parametrize("name", FILES)
def test_file_keeps_to_the_definition_of_kserve(name: str) -> None:
    """Of its release: KSERVE_CRDS names a folder with the files of its config/crd/full."""
    folder = os.environ.get("KSERVE_CRDS")
    if not folder:
        pytest.skip("KSERVE_CRDS names no folder with KServe's definitions")
    document = read(name)
    file = Path(folder) / f"serving.kserve.io_{document['kind'].lower()}s.yaml"
    versions = yaml.safe_load(file.read_text())["spec"]["versions"]
    version = document["apiVersion"].partition("/")[2]
    (schema,) = (v["schema"]["openAPIV3Schema"] for v in versions if v["name"] == version)
    jsonschema.Draft7Validator(_strict(schema)).validate(document)


def _strict(schema: Any) -> Any:
    """With no fields but those that are named, which is what Kubernetes would drop."""
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    known = {key: _strict(value) for key, value in schema.items()}
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
        known.setdefault("additionalProperties", False)
    return known
