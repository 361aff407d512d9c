#!/usr/bin/env python3
"""Compares `accord check --jsonl` over one schema and over many: 20,000 lines each, the schemas by turns.

    python3 bench/many_schemas.py target/release/accord
"""

import json
import resource
import subprocess
import sys

LINES, SCHEMAS, ROUNDS = 20_000, 2_000, 3


def schema(index):
    """About 580 bytes, no two the same."""
    names = ["title", "owner", "summary", "due", f"field_{index}"]
    members = {name: {"type": "string", "description": f"The {name} of the ticket"} for name in names}
    members["priority"] = {"enum": ["low", "medium", "high"]}
    members["tags"] = {"type": "array", "items": {"type": "string", "maxLength": 40}}
    return {"type": "object", "required": ["title", "priority"], "additionalProperties": False, "properties": members}


def used():
    """Processor time of finished children: on a busy machine it tells more than the clock."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(accord, lines):
    start = used()
    subprocess.run([accord, "check", "--jsonl"], input=lines, stdout=subprocess.DEVNULL, check=True)
    return used() - start


def stream(lines, schemas):
    text = json.dumps({"title": "Rotate the certificates", "priority": "high", "tags": ["tls", "ops"]})
    request = lambda index: {"id": index, "text": f"Here it is:\n```json\n{text}\n```", "schema": schema(index % schemas)}
    return "".join(json.dumps(request(index)) + "\n" for index in range(lines)).encode()


accord = sys.argv[1]
one, many, compiling = stream(LINES, 1), stream(LINES, SCHEMAS), stream(SCHEMAS, SCHEMAS)
best = lambda lines: min(seconds(accord, lines) for _ in range(ROUNDS))
of_one, of_many, of_compiling = best(one), best(many), best(compiling)
print(f"1 schema: {of_one:.2f} s, {SCHEMAS} schemas: {of_many:.2f} s, of which the first round {of_compiling:.2f} s")
warm = (of_many - of_compiling) / (LINES - SCHEMAS) / (of_one / LINES)
print(f"a line of {SCHEMAS} schemas after the first round takes {warm:.2f} times a line of one")
