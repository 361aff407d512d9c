"""Instructor: its other modes, and a contract that was not met."""

import os

import instructor
from openai import OpenAI
from pydantic import BaseModel


class Sentiment(BaseModel):
    label: str
    score: float


def ask(model: str, text: str, mode: instructor.Mode) -> Sentiment:
    client = instructor.from_openai(OpenAI(base_url=os.environ["ACCORD_URL"] + "/v1", api_key="unused"), mode=mode)
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model=model, messages=messages, response_model=Sentiment)


for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA, instructor.Mode.JSON, instructor.Mode.RESPONSES_TOOLS):
    for model in ("assistant", "sentiment"):
        assert ask(model, "I like it", mode).label == "positive", (mode, model)

try:
    ask("assistant", "impossible", instructor.Mode.TOOLS)
    raise SystemExit("expected an error")
except Exception as error:
    assert "output_schema_validation_failed" in str(error), error
