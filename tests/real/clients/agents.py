"""Writes an agent for each schema. It returns what it gets, so that input and output have the same type."""

import json
import sys
from pathlib import Path

schemas, agents = Path(sys.argv[1]), Path(sys.argv[2])
UNWRAP = "import json, sys; print(json.dumps(json.load(sys.stdin)['value']))"
for file in sorted(schemas.glob("*.json")):
    schema = json.loads(file.read_text())["schema"]
    is_object = file.stem not in ("stock", "levels")
    whole = {"type": "object", "required": ["value"], "properties": {"value": schema}}
    command = {"command": "cat"} if is_object else {"command": "python3", "args": ["-c", UNWRAP]}
    agent = {
        "name": file.stem,
        "description": f"Returns what it gets: {file.stem}",
        "type": "procedural",
        "executor": {"type": "process", **command},
        "parameters_schema": schema if is_object else whole,
        "output_schema": schema,
    }
    (agents / file.stem).mkdir()
    (agents / file.stem / "agent.json").write_text(json.dumps(agent))
