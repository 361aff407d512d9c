"""The table: time and correctness of each judge over the same cases.

A value that a peer gives is checked against the case's schema here, outside the timing: one that does not conform
counts as refused, as it would in a program that validates after repairing.
"""

import json
import statistics
import sys
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

import jsonschema


def exact(text):
    return json.loads(text, parse_float=Decimal)


def same(left, right):
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, (int, Decimal)) and isinstance(right, (int, Decimal)):
        return left == right
    return type(left) is type(right) and left == right


def plain(value):
    """The same value with the numbers that the validator knows."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    return value


def conforms(value, schema):
    value, schema = plain(value), plain(schema)
    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft7Validator)
    return validator(schema, format_checker=validator.FORMAT_CHECKER).is_valid(value)


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def row(name, release, cases, lines):
    counts = dict.fromkeys(("right", "wrong", "missed", "refused", "accepted", "unsupported"), 0)
    times, lenient = [], []
    for line in lines:
        case = cases[line["id"]]
        if line.get("unsupported"):
            counts["unsupported"] += 1
            continue
        times.append(float(line["microseconds"]))
        if case.get("mode") == "lenient":
            lenient.append(times[-1])
        given = "value" in line and conforms(line["value"], case["schema"])
        if case["expect"]["kind"] == "reject":
            counts["accepted" if given else "refused"] += 1
        elif not given:
            counts["missed"] += 1
        else:
            counts["right" if same(line["value"], case["expect"]["value"]) else "wrong"] += 1
    asked = len(times)
    return (
        f"| {name} {release} | {asked} | {statistics.median(times):.1f} | {percentile(times, 0.95):.1f} "
        f"| {statistics.median(lenient):.1f} | {percentile(lenient, 0.95):.1f} "
        f"| {counts['right']} / {counts['wrong']} / {counts['missed']} "
        f"| {counts['refused']} / {counts['accepted']} | {counts['unsupported']} |"
    )


def main():
    corpus, repetitions, peers = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    cases = {case["id"]: case for case in map(exact, filter(str.strip, open(corpus, encoding="utf-8")))}
    package = json.loads((peers / "node_modules/jsonrepair/package.json").read_text())
    releases = {
        "accord": "",
        "json_repair": version("json_repair"),
        "jsonrepair": package["version"],
        "jsonrepair + ajv": package["version"],
        "baml-py": version("baml-py"),
    }
    print(f"{len(cases)} cases, best of {repetitions} repetitions each, times in microseconds per case.\n")
    print("| judge | cases | median | p95 | lenient cases: median | p95 | value expected: right / wrong / missed | to refuse: refused / accepted | no type for the schema |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, release in releases.items():
        lines = [exact(line) for line in (peers / "results" / f"{name}.jsonl").read_text().splitlines()]
        print(row(name, release, cases, lines))
    print(
        "\nAccord reads, repairs, validates and chooses within its time. json_repair and jsonrepair take no schema,"
        "\nbaml-py takes types: their values were validated afterwards, outside the timing; with ajv within it."
    )


main()
