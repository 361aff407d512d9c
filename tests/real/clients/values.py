"""Every conforming value of the schemas passes the generated models and comes back equal; the others are rejected."""

import json
import sys
from pathlib import Path
from typing import Any

import agents
from pydantic import TypeAdapter, ValidationError


def exact(value: Any) -> str:
    """With types: in Python 1 == 1.0 == True."""
    return json.dumps(value, sort_keys=True)


checked = 0
for file in sorted(Path(sys.argv[1]).glob("*.json")):
    fixture = json.loads(file.read_text())
    adapter: TypeAdapter[Any] = getattr(agents, file.stem.replace("-", "_")).output
    for value in fixture["values"]:
        read = adapter.validate_python(value)
        written = adapter.dump_python(read, mode="json", by_alias=True, exclude_unset=True)
        assert exact(written) == exact(value), (file.stem, value, written)
        checked += 1
    for value in fixture["rejects"]:
        try:
            adapter.validate_python(value)
        except ValidationError:
            continue
        raise AssertionError((file.stem, value))
assert checked > 30, checked
print(f"python: {checked} values")
