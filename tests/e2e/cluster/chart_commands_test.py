"""chart_commands_test.py BIN_DIR HELM: see chart_commands_test.sh."""

import hashlib
import json
import pathlib
import secrets
import subprocess
import sys
import tempfile
import time
import unittest

import yaml

from local_pods import Chart, Pod, free_port

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = HELM = ""
AGENTS = 3
KEY, TOKEN = secrets.token_hex(16), secrets.token_hex(16)
COORDINATOR, AGENT = "trial-tidemark-coordinator", "trial-tidemark-agent"

VALUES = {
    "coordinator": {"tokens": {"existingSecret": "tokens"}},
    "agents": {
        "replicas": AGENTS, "allowTargets": ["127.0.0.1"], "capacity": 64,
        "endpointSecrets": [{"name": "SIM_KEY", "existingSecret": "endpoint", "key": "api-key",
                             "hosts": ["127.0.0.1"]}]},
}


def render(folder):
    (folder / "values.yaml").write_text(yaml.safe_dump(VALUES))
    text = subprocess.run([HELM, "template", "trial", str(ROOT / "helm/tidemark"), "--namespace", "bench",
                           "--kube-version", "1.37.0", "-f", str(folder / "values.yaml")],
                          check=True, capture_output=True, text=True, timeout=60).stdout
    return Chart(yaml.safe_load_all(text), "bench")


def make_certificates(folder):
    subprocess.run([str(ROOT / "deploy/tls/make-test-certs.sh"), str(folder),
                    "--coordinator", f"{COORDINATOR}.bench.svc,127.0.0.1", "--agent", "--client", "tester"],
                   check=True, timeout=60)

    def secret(name):
        return {"tls.crt": (folder / f"{name}.crt").read_text(), "tls.key": (folder / f"{name}.key").read_text(),
                "ca.crt": (folder / "ca.crt").read_text()}

    return {f"{COORDINATOR}-tls": secret("coordinator"), f"{AGENT}-tls": secret("agent"),
            "tokens": {"tokens": f"tester {hashlib.sha256(TOKEN.encode()).hexdigest()}\n"},
            "endpoint": {"api-key": KEY}}


class ChartCommands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.certificates = self.folder / "certificates"
        self.secrets = make_certificates(self.certificates)
        (self.folder / "token").touch(0o600)
        (self.folder / "token").write_text(TOKEN)
        self.chart = render(self.folder)

    def start(self):
        coordinator = self.pod(COORDINATOR, 0)
        coordinator.start({})
        agents = [self.pod(AGENT, index) for index in range(AGENTS)]
        for agent in agents:
            agent.start({COORDINATOR: coordinator})
        return coordinator, agents

    def pod(self, owner, index):
        pod = Pod(self.chart, owner, index, self.secrets, self.folder, BIN)
        self.addCleanup(pod.kill)
        return pod

    def simulator(self):
        port = free_port()
        process = subprocess.Popen([f"{BIN}/tidemark-sim", f"--listen=127.0.0.1:{port}", f"--require-key={KEY}"],
                                   stdout=subprocess.DEVNULL)
        self.addCleanup(lambda: (process.kill(), process.wait(10)))
        return f"http://127.0.0.1:{port}"

    def tidemark(self, coordinator, *arguments):
        at = self.certificates
        return subprocess.run(
            [f"{BIN}/tidemark", *arguments, "--coordinator", f"127.0.0.1:{coordinator.ports[7070]}",
             "--tls-cert", str(at / "client-tester.crt"), "--tls-key", str(at / "client-tester.key"),
             "--tls-ca", str(at / "ca.crt"), "--token-file", str(self.folder / "token")],
            cwd=self.folder, capture_output=True, text=True, timeout=120)

    def wait_for_agents(self, coordinator):
        deadline = time.monotonic() + 30
        while True:
            said = self.tidemark(coordinator, "agents")
            if all(f"{AGENT}-{index}" in said.stdout for index in range(AGENTS)):
                return
            self.assertLess(time.monotonic(), deadline, f"{said.stdout}{said.stderr}\n{coordinator.log()}")
            time.sleep(0.2)

    def test_runs_a_sweep_and_ends_in_order(self):
        coordinator, agents = self.start()
        self.wait_for_agents(coordinator)
        out = self.folder / "out"
        swept = self.tidemark(coordinator, "sweep", "--url", self.simulator(), "--api-key-env", "SIM_KEY",
                              "--concurrency", "3,9", "--request-count", "60", "--output-dir", str(out))
        logs = "\n".join(f"--- {pod.name}\n{pod.log()}" for pod in [coordinator, *agents])
        self.assertEqual(swept.returncode, 0, f"{swept.stdout}{swept.stderr}\n{logs}")
        self.assertEqual(len(json.loads((out / "result.json").read_text())["levels"]), 2)
        for text in (logs, swept.stdout, swept.stderr, *(path.read_text() for path in out.glob("*.json"))):
            self.assertNotIn(KEY, text)
            self.assertNotIn(TOKEN, text)
        for pod in [*agents, coordinator]:
            self.assertEqual(pod.stop(), 0, f"{pod.name} after SIGTERM:\n{pod.log()}")

    def test_probes_ask_the_health_port(self):
        for owner in (COORDINATOR, AGENT):
            container = self.pod(owner, 0).container
            health = next(a for a in container["args"] if a.startswith("--health="))
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                self.assertTrue(health.endswith(f":{container[probe]['grpc']['port']}"), f"{owner} {probe}")


if __name__ == "__main__":
    BIN, HELM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
