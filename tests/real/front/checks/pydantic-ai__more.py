"""Pydantic AI: the schema as the format of the answer, over Responses, and a contract that was not met."""

import os

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=os.environ["ACCORD_URL"] + "/v1", api_key="unused")


class Sentiment(BaseModel):
    label: str
    score: float


for kind in (OpenAIChatModel, OpenAIResponsesModel):
    for output in (Sentiment, NativeOutput(Sentiment)):
        result = Agent(kind("assistant", provider=provider), output_type=output).run_sync("I like it")
        assert result.output.label == "positive" and result.usage.input_tokens == 100, result

try:
    Agent(OpenAIChatModel("sentiment", provider=provider)).run_sync("impossible")
    raise SystemExit("expected an error")
except ModelHTTPError as error:
    assert error.status_code == 422, error
