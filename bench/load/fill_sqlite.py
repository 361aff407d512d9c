"""Copies the newest finished run of a database of Accord: the twin of fill_postgres.sql.

python fill_sqlite.py <file> <runs> <bytes>
"""

import hashlib
import json
import sqlite3
import sys
import time

file, runs, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
database = sqlite3.connect(file, isolation_level=None)
database.execute("PRAGMA synchronous = OFF")
database.row_factory = sqlite3.Row
run = database.execute(
    "SELECT * FROM runs WHERE status = 'completed' ORDER BY seq DESC LIMIT 1"
).fetchone()


def rows(table: str, column: str, value: int) -> list[dict[str, object]]:
    return [dict(row) for row in database.execute(f"SELECT * FROM {table} WHERE {column} = ?", (value,))]


def insert(table: str, row: dict[str, object]) -> int | None:
    marks = ", ".join("?" for _ in row)
    sql = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})"
    return database.execute(sql, tuple(row.values())).lastrowid


def text(number: int) -> str:
    hashes = (hashlib.md5(f"{number}-{part}".encode()).hexdigest() for part in range(max(1, size // 33 // 2)))
    return '{"severity":"high","summary":"' + " ".join(hashes) + '"}'


texts = [text(number) for number in range(100)]
escaped = [text.replace('"', '\\"') for text in texts]
session = rows("sessions", "seq", run["session"])[0]
assignment = rows("assignments", "run", run["seq"])[0]
listed = rows("run_inputs", "run", run["seq"])[0]
outcome = rows("outcomes", "run", run["seq"])[0]
events = sorted(rows("events", "session", run["session"]), key=lambda event: event["id"])
now = time.time()

for first in range(1, runs + 1, 2000):
    database.execute("BEGIN")
    for n in range(first, min(first + 2000, runs + 1)):
        ids = {"run": f"run_load{n:09}", "session": f"ses_load{n:09}"}
        agent = "bench" if n % 20 == 0 else f"agent-{n % 20}"
        status = "completed" if n % 50 < 46 else "failed" if n % 50 < 49 else "stopped"
        at = int((now - 3 * 3600 - 30 * 86400 * (runs - n) / runs) * 1e6)
        ended = at + (1000 + n * 7919 % 60000) * 1000
        failed = {"failure_type": "timed_out", "failure": '{"type":"timed_out","message":"it took too long"}'}
        seq_of_session = insert("sessions", {k: v for k, v in session.items() if k != "seq"} | {
            "id": ids["session"], "agent_name": agent, "last_run_id": ids["run"], "created_at": at, "updated_at": ended})
        seq = insert("runs", {k: v for k, v in dict(run).items() if k != "seq"} | {
            "id": ids["run"], "session": seq_of_session, "agent_name": agent, "status": status, "input_tokens": 900,
            "output_tokens": 80, "cost_usd": 0.001, "created_at": at, "queued_at": at, "claimed_at": at + 1000,
            "started_at": at + 2000, "finished_at": ended} | (failed if status == "failed" else {}))
        insert("assignments", assignment | {"run": seq})
        searched = listed["searched"].replace(run["id"].lower(), ids["run"]).replace(session["id"].lower(), ids["session"])
        insert("run_inputs", listed | {"run": seq, "searched": searched})
        if status == "completed":
            insert("outcomes", outcome | {"run": seq, "result_data": texts[n % 100], "raw": None})
        last = 2 if n % 10 == 0 else 1
        for number in range(1, last + 1):
            outcome_of_attempt = "accepted" if status == "completed" and number == last else "schema_invalid"
            document = {
                "number": number, "delivery": 1, "at": "2026-01-01T00:00:00Z", "strategy": "native", "model": f"model-{n % 4}",
                "outcome": outcome_of_attempt, "duration_ms": 900, "text": ""}
            insert("attempts", {
                "run": seq, "delivery": 1, "number": number, "outcome": outcome_of_attempt, "model": f"model-{n % 4}",
                "strategy": "native", "document": json.dumps(document), "text": '{"severity": "high"}',
                "source": "text" if outcome_of_attempt == "accepted" else None, "input_tokens": 900, "output_tokens": 80,
                "cost_usd": 0.001})
            if number < last:
                insert("attempt_errors", {"run": seq, "path": "$.severity", "keyword": "enum"})
        for event in events:
            said = '{"type":"message","role":"assistant","text":"' + escaped[(n + 7) % 100] + '"}'
            insert("events", {k: v for k, v in event.items() if k != "id"} | {
                "at": at, "session": seq_of_session, "run": seq if event["run"] is not None else None,
                "body": said if event["kind"] == "message" else event["body"]})
    database.execute("COMMIT")
database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
