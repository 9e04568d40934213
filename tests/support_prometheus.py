"""A real Prometheus, and its tool, for tests of what is told to it."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from serving.bench.ports import free_ports
from tests.support_serve import ROOT, wait_until

DEPLOY = ROOT / "deploy"
DASHBOARDS = sorted((DEPLOY / "grafana" / "dashboards").glob("*.json"))


def promtool(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    if shutil.which("promtool") is None:
        pytest.skip("no promtool: install the package `prometheus`")
    return subprocess.run(
        ("promtool", *arguments),
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def adapter_queries(matchers: str) -> dict[str, str]:
    """What prometheus-adapter asks for each metric that it serves to autoscalers."""
    rules = yaml.safe_load((DEPLOY / "helm" / "prometheus-adapter.yaml").read_text())["rules"]
    return {
        rule.get("name", {}).get("as", rule["seriesQuery"]): rule["metricsQuery"].replace(
            "<<.LabelMatchers>>", matchers
        )
        for rule in rules["external"]
    }


class Prometheus:
    """A running server, and what it knows."""

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=10)

    def is_ready(self) -> bool:
        try:
            return self._http.get("/-/ready").is_success
        except httpx.TransportError:
            return False

    def query(self, expression: str) -> list[Any]:
        """The series of an instant query; an error of its grammar raises."""
        answer = self._http.get("/api/v1/query", params={"query": expression}).json()
        assert answer["status"] == "success", answer
        result: list[Any] = answer["data"]["result"]
        return result

    def close(self) -> None:
        self._http.close()


@contextmanager
def prometheus(folder: Path, targets: Mapping[str, int]) -> Iterator[Prometheus]:
    """One with our rules that asks these ports each half second; job to port."""
    if shutil.which("prometheus") is None:
        pytest.skip("no prometheus: install the package `prometheus`")
    (port,) = free_ports(1)
    jobs = "".join(
        f"  - job_name: {job}\n    static_configs: [{{targets: ['127.0.0.1:{target}']}}]\n"
        for job, target in targets.items()
    )
    config = folder / "prometheus.yml"
    config.write_text(
        "global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}\n"
        f"rule_files: [{DEPLOY / 'prometheus' / 'alerts.yml'}]\nscrape_configs:\n{jobs}"
    )
    command = (
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=error",
    )
    with subprocess.Popen(command) as process:
        server = Prometheus(f"http://127.0.0.1:{port}")
        try:
            wait_until(server.is_ready, 30, "the start of Prometheus")
            yield server
        finally:
            server.close()
            process.terminate()
