"""Pydantic AI: tools, two at once, unions of outputs, and text or an output."""

import os

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=os.environ["ACCORD_URL"] + "/v1", api_key="unused")


class Cat(BaseModel):
    lives: int


class Dog(BaseModel):
    tricks: int


def weather(city: str) -> str:
    """Looks up the weather."""
    return f"sun in {city}"


for kind in (OpenAIChatModel, OpenAIResponsesModel):
    model = kind("assistant", provider=provider)
    both = 'call weather {"city": "Bonn"} and call weather {"city": "Ulm"}'
    told = Agent(model, tools=[weather]).run_sync(both)
    assert told.output == "You heard sun in Bonn, sun in Ulm.", told.output
    union = Agent(model, output_type=[Cat, Dog])
    assert union.run_sync('call final_result_Dog {"tricks": 3}').output == Dog(tricks=3)
    assert union.run_sync('call final_result_Cat {"lives": 9}').output == Cat(lives=9)
    either = Agent(model, output_type=[Cat, str])
    assert either.run_sync('call final_result {"lives": 7}').output == Cat(lives=7)
    assert either.run_sync("Hi").output == "You sent 1 messages."
