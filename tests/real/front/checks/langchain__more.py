"""LangChain: every method of structured output, a stream, Responses, and a contract that was not met."""

import os

import openai
from langchain_openai import ChatOpenAI
from pydantic import BaseModel


class Sentiment(BaseModel):
    label: str
    score: float


def model(name: str, **options: object) -> ChatOpenAI:
    return ChatOpenAI(model=name, base_url=os.environ["ACCORD_URL"] + "/v1", api_key="unused", **options)


for method in ("json_schema", "function_calling"):
    for over in ({}, {"use_responses_api": True}):
        found = model("assistant", **over).with_structured_output(Sentiment, method=method).invoke("I like it")
        assert found.label == "positive", (method, over, found)

whole = "".join(chunk.text for chunk in model("sentiment", temperature=0).stream("I like it"))
assert Sentiment.model_validate_json(whole).label == "positive", whole

try:
    model("sentiment").invoke("impossible")
    raise SystemExit("expected an error")
except openai.UnprocessableEntityError as error:
    assert error.code == "output_schema_validation_failed", error.body
