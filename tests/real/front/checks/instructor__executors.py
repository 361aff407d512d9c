"""Instructor: agents that are Claude Code, Codex and a command."""

import os

import instructor
from openai import OpenAI
from pydantic import BaseModel

client = instructor.from_openai(OpenAI(base_url=os.environ["ACCORD_URL"] + "/v1", api_key="unused"))
# Sends json_object, which the contract of an agent is enough for.
json_client = instructor.from_openai(client.client, mode=instructor.Mode.JSON)


class Sentiment(BaseModel):
    label: str
    score: float


def ask(client: instructor.Instructor, model: str, text: str, **options: object) -> object:
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model=model, messages=messages, **options)


for agent in ("claude", "codex", "command"):
    assert ask(client, agent, "I like it", response_model=Sentiment).label == "positive", agent
    partial = list(ask(client, agent, "I like it", response_model=instructor.Partial[Sentiment], stream=True))
    assert partial[-1].label == "positive", (agent, partial)
    assert ask(json_client, f"{agent}-sentiment", "I like it", response_model=Sentiment).label == "positive", agent
    for one, name in ((client, agent), (json_client, f"{agent}-sentiment")):
        try:
            ask(one, name, "impossible", response_model=Sentiment)
        except Exception as error:
            assert "output_schema_validation_failed" in str(error), (name, error)
        else:
            raise SystemExit(f"{name}: expected an error")
