"""JSON Schemas: jsonschema finds them sound and holds what commands tell against them; a wrong answer must fail."""

import json

import jsonschema

from bench import ROOT

ANSWERS = {
    "solve": [("door-harness.toml",), ("pulley.toml",), ("contact/plug-on-a-table.toml",), ("mixed-models.toml",)],
    "check": [("door-harness.toml",), ("battery-cable.toml",)],
    "sweep": [("brake-hose.toml", "--vary", "cable.length=380 mm..300 mm:4")],
    "find": [("brake-hose.toml", "--vary", "cable.length", "--so-that", "bend_radius>=60mm", "--steps", "6")],
    "reserve": [("brake-hose.toml", "--move", "end=0,0.2,0", "--steps", "3")],
}


def judge(bench):
    schemas = {}
    for path in sorted((ROOT / "docs/schemas").glob("*.json")):
        schemas[path.stem] = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schemas[path.stem])
    bench.below("schemas that are missing", 9 - len(schemas), 0)
    for name, calls in ANSWERS.items():
        validator = jsonschema.Draft202012Validator(schemas[name])
        for scene, *words in calls:
            answer = bench.answer(name, bench.scene(scene), *words, codes=(0, 1, 6))
            found = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(answer)]
            bench.holds(f"{name} {scene}", not found, "; ".join(found[:3]))
            answer["format"] = "one"
            bench.holds(f"{name} {scene}: a wrong type is seen", not validator.is_valid(answer))
    error = json.loads(bench.flexline("solve", "none.toml", "--json", codes=(3,)))
    bench.holds("error", jsonschema.Draft202012Validator(schemas["error"]).is_valid(error))
