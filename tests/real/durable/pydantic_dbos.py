"""One run of Pydantic AI under DBOS: started, or recovered after a crash.

Arguments: the model's address, a folder for the database and the notes of the tools, the number of the run.
"""

import os
import sys
import time

from dbos import DBOS, SetWorkflowID
from pydantic import BaseModel
from pydantic_ai import Agent, PromptedOutput
from pydantic_ai.durable_exec.dbos import DBOSAgent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

url, folder, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
DBOS(config={"name": "durable", "system_database_url": f"sqlite:///{folder}/dbos.sqlite"})


class Result(BaseModel):
    number: int


agent = Agent(
    OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="none")),
    name="worker",
    output_type=PromptedOutput(Result),
    retries=2,
)


def noted(tool: str, of: int) -> str:
    with open(f"{folder}/calls", "a") as calls:
        calls.write(f"{tool} {of}\n")
    hang = f"{folder}/hang-{tool}-{of}"
    if os.path.exists(hang):
        os.remove(hang)
        time.sleep(3600)
    return f"done {of}"


@agent.tool_plain
@DBOS.step()
def look(number: int) -> str:
    return noted("look", number)


@agent.tool_plain
@DBOS.step()
def change(number: int) -> str:
    return noted("change", number)


durable = DBOSAgent(agent)
DBOS.launch()
workflow = f"run-{number}"
with SetWorkflowID(workflow):
    if DBOS.get_workflow_status(workflow) is None:
        result = durable.run_sync(f"number-{number}.").output
    else:
        result = DBOS.retrieve_workflow(workflow).get_result().output
print(result.model_dump_json())
DBOS.destroy()
