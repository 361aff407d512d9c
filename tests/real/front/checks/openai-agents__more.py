"""The OpenAI Agents SDK: a conversation, a stream, and chat completions instead of responses."""

import asyncio
import os

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel

client = AsyncOpenAI(base_url=os.environ["ACCORD_URL"] + "/v1", api_key="unused")
set_default_openai_client(client)
set_tracing_disabled(True)


class Sentiment(BaseModel):
    label: str
    score: float


async def main() -> None:
    talker = Agent(name="Talker", model="assistant")
    first = await Runner.run(talker, "Hi")
    second = await Runner.run(talker, [*first.to_input_list(), {"role": "user", "content": "And?"}])
    assert second.final_output == "You sent 1 messages.", second.final_output
    third = await Runner.run(talker, "And?", previous_response_id=first.last_response_id)
    assert third.final_output == "You sent 3 messages.", third.final_output
    streamed = Runner.run_streamed(Agent(name="Reader", model="assistant", output_type=Sentiment), "I like it")
    kinds = [event.type async for event in streamed.stream_events()]
    assert streamed.final_output.label == "positive", kinds
    model = OpenAIChatCompletionsModel(model="assistant", openai_client=client)
    chat = await Runner.run(Agent(name="Reader", model=model, output_type=Sentiment), "I like it")
    assert chat.final_output.label == "positive"


asyncio.run(main())
