"""Uses the generated Python client: a run with wait, its result, its attempts, a failure, and an error."""

import sys

from client import Client
from client.api.runs import runs_attempts, runs_create, runs_list
from client.api.sessions import sessions_events
from client.models import CreateRun, CreateRunParametersType0, ErrorBody, RunStatus, RunView


def main() -> None:
    client = Client(base_url=sys.argv[1], timeout=60)
    parameters = CreateRunParametersType0.from_dict(
        {"ticket": "Since nine o'clock nobody in our office can log in. The page says: internal error."}
    )
    body = CreateRun(agent_name="ticket-triage", parameters=parameters)
    run = runs_create.sync(client=client, body=body, wait=30, idempotency_key="generated")
    assert isinstance(run, RunView), run
    assert run.status == RunStatus.COMPLETED, run
    assert run.result.result_data["category"] in ("billing", "bug", "question", "outage"), run.result
    assert run.result.schema_validation.valid

    again = runs_create.sync(client=client, body=body, idempotency_key="generated")
    assert again.run_id == run.run_id, "the key has the same run"
    attempts = runs_attempts.sync(id=run.run_id, client=client)
    assert [attempt.outcome.value for attempt in attempts.items] == ["accepted"], attempts
    events = sessions_events.sync(id=run.session_id, client=client)
    kinds = [event.type_.value for event in events.items]
    assert kinds[0] == "session.created" and kinds[-1] == "run.completed", kinds
    assert [listed.run_id for listed in runs_list.sync(client=client).items] == [run.run_id]

    missing = runs_create.sync(client=client, body=CreateRun(agent_name="nobody", prompt="x"))
    assert isinstance(missing, ErrorBody) and missing.error == "AgentNotFound", missing
    print("python:", run.run_id, run.result.result_data)


main()
