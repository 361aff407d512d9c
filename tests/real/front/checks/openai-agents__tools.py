"""The OpenAI Agents SDK: tools, a stream of them, and a handoff, over responses and over chat completions."""

import asyncio
import os

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI

client = AsyncOpenAI(base_url=os.environ["ACCORD_URL"] + "/v1", api_key="unused")
set_default_openai_client(client)
set_tracing_disabled(True)


@function_tool
def weather(city: str) -> str:
    """Looks up the weather."""
    return f"sun in {city}"


async def main() -> None:
    for model in ("assistant", OpenAIChatCompletionsModel(model="assistant", openai_client=client)):
        reporter = Agent(name="Reporter", model=model, tools=[weather], instructions="Be brief.")
        told = await Runner.run(reporter, 'call weather {"city": "Bonn"}')
        assert told.final_output == "You heard sun in Bonn.", told.final_output
        streamed = Runner.run_streamed(reporter, 'call weather {"city": "Ulm"}')
        kinds = [event.type async for event in streamed.stream_events()]
        assert streamed.final_output == "You heard sun in Ulm.", (streamed.final_output, kinds)
        billing = Agent(name="Billing", model=model, instructions="You handle bills.")
        triage = Agent(name="Triage", model=model, handoffs=[billing])
        handed = await Runner.run(triage, "call transfer_to_billing {}")
        assert handed.last_agent.name == "Billing" and handed.final_output.startswith("You "), handed.final_output


asyncio.run(main())
