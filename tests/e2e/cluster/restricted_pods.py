"""restricted_pods.py FILE…: says each pod in these manifests that is not as we promise: Kubernetes' "restricted"
profile, no API token, a read-only root, limits, probes."""

import sys

import yaml


def pod_faults(pod):
    context = pod.get("securityContext", {})
    if context.get("runAsNonRoot") is not True:
        yield "runs as root"
    if context.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        yield "has no seccomp profile"
    if pod.get("automountServiceAccountToken") is not False:
        yield "mounts an API token"
    if pod.get("enableServiceLinks") is not False:
        yield "gets service links, which may look like our variables"
    for volume in pod.get("volumes", []):
        kind = next(key for key in volume if key != "name")
        if kind not in ("secret", "emptyDir", "projected", "configMap", "persistentVolumeClaim"):
            yield f"mounts a {kind}"
        if kind == "emptyDir" and "sizeLimit" not in volume[kind]:
            yield f"has no limit on {volume['name']}"


def container_faults(container):
    context = container.get("securityContext", {})
    if context.get("allowPrivilegeEscalation") is not False:
        yield "may gain privileges"
    if context.get("readOnlyRootFilesystem") is not True:
        yield "may write to its root"
    if context.get("capabilities", {}) != {"drop": ["ALL"]}:
        yield "keeps capabilities"
    if "memory" not in container.get("resources", {}).get("limits", {}):
        yield "has no memory limit"
    if not {"livenessProbe", "readinessProbe"} <= set(container):
        yield "is not probed"


def faults(path):
    with open(path, encoding="utf-8") as file:
        for manifest in filter(None, yaml.safe_load_all(file)):
            pod = manifest.get("spec", {}).get("template", {}).get("spec")
            if not pod:
                continue
            where = f"{path}: {manifest['kind']} {manifest['metadata']['name']}"
            yield from (f"{where} {fault}" for fault in pod_faults(pod))
            for container in pod["containers"]:
                yield from (f"{where}/{container['name']} {fault}" for fault in container_faults(container))


if __name__ == "__main__":
    found = [fault for path in sys.argv[1:] for fault in faults(path)]
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    sys.exit(1 if found else 0)
