"""kubernetes_schemas.py FOLDER VERSION: Kubernetes' own schemas, of the package kubernetes-validate, as kubeconform
reads them: one file a kind, with the definitions that it needs inside."""

import json
import os
import sys

import kubernetes_validate


def inline(value, needed):
    """The schema with references into the file itself; adds the definitions' names to `needed`."""
    if isinstance(value, list):
        return [inline(item, needed) for item in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, item in value.items():
        if key == "$ref" and isinstance(item, str):
            name = item.split("/$defs/")[1]
            needed.add(name)
            out[key] = "#/$defs/" + name
        else:
            out[key] = inline(item, needed)
    return out


def main(folder, version):
    source = os.path.join(os.path.dirname(kubernetes_validate.__file__), "kubernetes-json-schema",
                          f"v{version}-local-strict")
    with open(os.path.join(source, "_definitions.json"), encoding="utf-8") as file:
        definitions = json.load(file)["$defs"]
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(source):
        if not name.endswith(".json") or name in ("_definitions.json", "all.json"):
            continue
        needed, inlined = set(), {}
        with open(os.path.join(source, name), encoding="utf-8") as file:
            schema = inline(json.load(file), needed)
        while needed - set(inlined):
            for missing in needed - set(inlined):
                inlined[missing] = inline(definitions[missing], needed)
        schema["$defs"] = inlined
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(schema, file, separators=(",", ":"))


if __name__ == "__main__":
    main(*sys.argv[1:])
