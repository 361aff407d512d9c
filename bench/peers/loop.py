"""The loop that the Python peers share: the best time of each case, as JSON lines."""

import json
import sys
import time


def run(prepare):
    """`prepare(case)` gives a function without arguments that returns the value or raises.

    What it does itself is not timed. When it returns nothing, the peer cannot be asked this case.
    """
    corpus, repetitions = sys.argv[1], int(sys.argv[2])
    with open(corpus, encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines if line.strip()]
    for case in cases:
        judge = prepare(case)
        result = {"id": case["id"]}
        if judge is None:
            result["unsupported"] = True
        else:
            result["microseconds"] = best(judge, repetitions)
            try:
                result["value"] = judge()
            except Exception:
                pass
        print(json.dumps(result, allow_nan=True))


def best(judge, repetitions):
    clock = time.perf_counter_ns
    times = []
    for _ in range(repetitions):
        start = clock()
        try:
            judge()
        except Exception:
            pass
        times.append(clock() - start)
    return min(times) / 1000
