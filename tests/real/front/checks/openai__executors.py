"""The official Python client: agents that are Claude Code, Codex and a command, and a workflow."""

import json
import os

import openai
from pydantic import BaseModel

client = openai.OpenAI(base_url=os.environ["ACCORD_URL"] + "/v1", api_key="unused")


class Sentiment(BaseModel):
    label: str
    score: float


def user(text: str) -> list[dict]:
    return [{"role": "user", "content": text}]


def is_refused(call: object, **request: object) -> None:
    try:
        call(**request)
    except openai.UnprocessableEntityError as error:
        assert error.code == "output_schema_validation_failed", error.body
    else:
        raise SystemExit(f"expected an error: {request}")


for agent in ("claude", "codex", "command"):
    # The caller's contract, at once and as a stream.
    parsed = client.chat.completions.parse(model=agent, messages=user("I like it"), response_format=Sentiment)
    assert parsed.choices[0].message.parsed == Sentiment(label="positive", score=0.9), (agent, parsed)
    with client.responses.stream(model=agent, input="I like it", text_format=Sentiment) as stream:
        assert [event.type for event in stream][-1] == "response.completed", agent
        assert stream.get_final_response().output_parsed.label == "positive", agent
    is_refused(client.chat.completions.parse, model=agent, messages=user("impossible"), response_format=Sentiment)
    # The agent's contract.
    own = f"{agent}-sentiment"
    chunks = client.chat.completions.create(model=own, messages=user("I like it"), stream=True)
    whole = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert Sentiment.model_validate_json(whole).label == "positive", (own, whole)
    failed = client.responses.create(model=own, input="impossible")
    assert (failed.status, failed.error.code) == ("failed", "output_schema_validation_failed"), (own, failed)

# A workflow.
both = {"first": "positive", "second": "positive"}
answer = client.chat.completions.create(model="second-opinion", messages=user("I like it"))
assert json.loads(answer.choices[0].message.content) == both and answer.usage.total_tokens == 110, answer
response = client.responses.create(model="second-opinion", input="I like it", background=True, metadata={"a": "b"})
while response.status in ("queued", "in_progress"):
    response = client.responses.retrieve(response.id)
assert json.loads(response.output_text) == both and response.metadata == {"a": "b"}, response
chunks = list(client.chat.completions.create(model="second-opinion", messages=user("I like it"), stream=True))
assert json.loads(chunks[0].choices[0].delta.content) == both, chunks
is_refused(client.chat.completions.create, model="second-opinion", messages=user("impossible"))
try:
    client.chat.completions.parse(model="second-opinion", messages=user("I like it"), response_format=Sentiment)
    raise SystemExit("expected an error")
except openai.ConflictError as error:
    assert error.code == "OutputSchemaConflict", error.body
