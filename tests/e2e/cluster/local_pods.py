"""Runs the pods of a rendered chart as processes of this host: mounts become folders, service addresses become
ports of 127.0.0.1, and the kubelet's part (variables, $(NAME) in arguments) is done here."""

import os
import pathlib
import re
import signal
import socket
import subprocess


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def selects(selector, labels):
    return all(labels.get(key) == value for key, value in selector.items())


class Chart:
    """The rendered objects, by kind and name."""

    def __init__(self, manifests, namespace):
        self.namespace = namespace
        self._objects = {(m["kind"], m["metadata"]["name"]): m for m in manifests if m}

    def get(self, kind, name):
        return self._objects[kind, name]

    def of_kind(self, kind):
        return [manifest for (its, _), manifest in self._objects.items() if its == kind]

    def container_port(self, address):
        """The container port behind a service's HOST:PORT, and the labels of the pods that it goes to."""
        host, port = address.rsplit(":", 1)
        name = host.removesuffix(f".{self.namespace}.svc")
        service = self.get("Service", name)["spec"]
        target = next(p["targetPort"] for p in service["ports"] if p["port"] == int(port))
        owner = next(s for s in self.of_kind("StatefulSet")
                     if selects(service["selector"], s["spec"]["template"]["metadata"]["labels"]))
        ports = owner["spec"]["template"]["spec"]["containers"][0]["ports"]
        return next(p["containerPort"] for p in ports if p["name"] == target), owner["metadata"]["name"]


class Pod:
    """One replica of a StatefulSet as a process."""

    def __init__(self, chart, owner, index, secrets, folder, programs):
        self.name = f"{owner}-{index}"
        self._chart, self._owner, self._secrets = chart, owner, secrets
        self._root = pathlib.Path(folder) / self.name
        self._programs = pathlib.Path(programs)
        self.spec = chart.get("StatefulSet", owner)["spec"]["template"]["spec"]
        self.claims = chart.get("StatefulSet", owner)["spec"].get("volumeClaimTemplates", [])
        self.container = self.spec["containers"][0]
        self.ports = {p["containerPort"]: free_port() for p in self.container["ports"]}
        self.process = None

    def start(self, peers):
        self._mount()
        arguments = [self._local(self._expand(argument), peers) for argument in self.container["args"]]
        program = self._programs / self.container["command"][0]
        self._log = open(self._root / "log", "wb")
        self.process = subprocess.Popen([program, *arguments], cwd=self._root, stdin=subprocess.DEVNULL,
                                        stdout=self._log, stderr=subprocess.STDOUT,
                                        env={"PATH": os.environ["PATH"], **self._variables()})

    def log(self):
        return (self._root / "log").read_text(errors="replace")

    def stop(self):
        """Its exit code after SIGTERM; -9 when the pod's grace period was not enough."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(self.spec.get("terminationGracePeriodSeconds", 30))
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
        self._log.close()
        return self.process.returncode

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)

    def _variables(self):
        fields = {"metadata.name": self.name, "metadata.namespace": self._chart.namespace,
                  "spec.nodeName": "this-host"}
        return {entry["name"]: entry.get("value") if "value" in entry
                else fields.get(entry["valueFrom"]["fieldRef"]["fieldPath"], "")
                for entry in self.container.get("env", [])}

    def _expand(self, argument):
        variables = self._variables()
        return re.sub(r"\$\((\w+)\)", lambda match: variables[match[1]], argument)

    def _local(self, argument, peers):
        """The argument with this host's folders and ports for the pod's."""
        flag, equals, value = argument.partition("=")
        if not equals:
            return argument
        for mount in self.container["volumeMounts"]:
            if value == mount["mountPath"] or value.startswith(mount["mountPath"] + "/"):
                return f"{flag}={self._root}{value}"
        bound = re.fullmatch(r"0\.0\.0\.0:(\d+)", value)
        if bound:
            return f"{flag}=127.0.0.1:{self.ports[int(bound[1])]}"
        if f".{self._chart.namespace}.svc:" in value:
            port, owner = self._chart.container_port(value)
            return f"{flag}=127.0.0.1:{peers[owner].ports[port]}"
        return argument

    def _mount(self):
        paths = {mount["name"]: self._root / mount["mountPath"].lstrip("/") for mount in self.container["volumeMounts"]}
        for path in paths.values():
            path.mkdir(parents=True, mode=0o700)
        for volume in self.spec["volumes"]:
            for name, content in self._files(volume):
                (paths[volume["name"]] / name).write_text(content)

    def _files(self, volume):
        if "secret" in volume:
            yield from self._secrets[volume["secret"]["secretName"]].items()
        for source in volume.get("projected", {}).get("sources", []):
            if "secret" in source:
                held = self._secrets[source["secret"]["name"]]
                yield from ((item["path"], held[item["key"]]) for item in source["secret"]["items"])
            if "configMap" in source:
                yield from self._chart.get("ConfigMap", source["configMap"]["name"])["data"].items()
