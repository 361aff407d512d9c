"""What the official Python client sees beyond the example of the guide."""

import os
import time

import openai
from pydantic import BaseModel, Field

client = openai.OpenAI(base_url=os.environ["ACCORD_URL"] + "/v1", api_key="unused")


class Sentiment(BaseModel):
    label: str
    score: float


def user(text: str) -> list[dict]:
    return [{"role": "user", "content": text}]


# Models.
models = [model.id for model in client.models.list()]
assert models == sorted(models) and {"assistant", "claude", "second-opinion", "word-count"} <= set(models), models
assert client.models.retrieve("sentiment").id == "sentiment"

# Chat completions: text, the agent's contract, the caller's.
text = client.chat.completions.create(model="assistant", messages=user("Hi"), temperature=0)
assert text.choices[0].message.content == "You sent 1 messages.", text
assert (text.usage.prompt_tokens, text.usage.completion_tokens) == (100, 10), text.usage
own = client.chat.completions.create(model="sentiment", messages=user("I like it"))
assert Sentiment.model_validate_json(own.choices[0].message.content).label == "positive"
parsed = client.chat.completions.parse(model="assistant", messages=user("I like it"), response_format=Sentiment)
assert parsed.choices[0].message.parsed == Sentiment(label="positive", score=0.9)
words = client.chat.completions.create(model="word-count", messages=user('{"text": "one two"}'))
assert words.choices[0].message.content == '{"words":2}', words

# Streams.
options = {"include_usage": True}
chunks = list(client.chat.completions.create(model="sentiment", messages=user("I like it"), stream=True, stream_options=options))
whole = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
assert Sentiment.model_validate_json(whole).label == "positive" and chunks[-1].usage.total_tokens == 110
with client.chat.completions.stream(model="assistant", messages=user("I like it"), response_format=Sentiment) as stream:
    assert stream.get_final_completion().choices[0].message.parsed.label == "positive"
with client.responses.stream(model="assistant", input="I like it", text_format=Sentiment) as stream:
    kinds = [event.type for event in stream]
    assert stream.get_final_response().output_parsed.label == "positive", kinds

# Responses: parsed, continued, in the background.
response = client.responses.parse(model="assistant", input="I like it", text_format=Sentiment, metadata={"ticket": "4"})
assert response.output_parsed.label == "positive"
assert client.responses.retrieve(response.id).metadata == {"ticket": "4"}
first = client.responses.create(model="assistant", input="Hi")
second = client.responses.create(model="assistant", input="And?", previous_response_id=first.id)
assert second.output_text == "You sent 3 messages.", second
polled = client.responses.create(model="sentiment", input="I like it", background=True)
deadline = time.monotonic() + 60
while polled.status in ("queued", "in_progress") and time.monotonic() < deadline:
    polled = client.responses.retrieve(polled.id)
assert Sentiment.model_validate_json(polled.output_text).label == "positive", polled

# A contract that was not met is an error, never text.
failed = client.responses.create(model="sentiment", input="impossible")
assert (failed.status, failed.error.code, failed.output) == ("failed", "output_schema_validation_failed", []), failed
try:
    client.chat.completions.create(model="sentiment", messages=user("impossible"))
    raise SystemExit("expected an error")
except openai.UnprocessableEntityError as error:
    assert error.code == "output_schema_validation_failed", error.body
try:
    list(client.chat.completions.create(model="sentiment", messages=user("impossible"), stream=True))
    raise SystemExit("expected an error")
except openai.APIError as error:
    assert error.code == "output_schema_validation_failed", error.body


# Two contracts: the agent's implies the caller's, both hold, or no value meets both.
class Narrow(Sentiment):
    score: float = Field(le=0.5)


class Other(BaseModel):
    mood: str


own = client.chat.completions.parse(model="sentiment", messages=user("I like it"), response_format=Sentiment)
assert own.choices[0].message.parsed == Sentiment(label="positive", score=0.9)
try:
    client.chat.completions.parse(model="sentiment", messages=user("I like it"), response_format=Narrow)
    raise SystemExit("expected an error")
except openai.UnprocessableEntityError as error:
    assert error.code == "output_schema_validation_failed", error.body
    assert "(the caller's schema)" in error.body["details"]["validation_errors"][0], error.body
try:
    client.chat.completions.parse(model="sentiment", messages=user("Hi"), response_format=Other)
    raise SystemExit("expected an error")
except openai.UnprocessableEntityError as error:
    assert error.code == "OutputSchemaConflict" and error.body["details"]["places"][0]["path"] == "$.label", error.body

# A tuple, as Pydantic writes it: prefixItems without $schema.
class Pair(BaseModel):
    label: tuple[str, int]


try:
    client.chat.completions.parse(model="assistant", messages=user("impossible"), response_format=Pair)
    raise SystemExit("expected an error")
except openai.UnprocessableEntityError as error:
    assert error.code == "output_schema_validation_failed", error.body

# Roles stay roles, and JSON mode takes any object as it is.
said = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "one\n{\"role\": \"system\"}"},
    {"role": "assistant", "content": "1"},
    {"role": "user", "content": "Who spoke?"},
]
roles = client.chat.completions.create(model="assistant", messages=said).choices[0].message.content
assert roles == "system user assistant user", roles
assert client.responses.create(model="assistant", input=said).output_text == roles
anything = client.chat.completions.create(model="assistant", messages=user("Hi"), response_format={"type": "json_object"})
assert anything.choices[0].message.content == '{"n":"12","nothing":"null","list":[1.5]}', anything

# What other servers know is ignored and named; a text is the only required parameter.
raw = client.chat.completions.with_raw_response.create(model="assistant", messages=user("Hi"), extra_body={"top_k": 5, "min_p": 0.1})
assert raw.headers["accord-ignored-fields"] == "top_k, min_p", raw.headers
words = client.chat.completions.create(model="word-count", messages=user("one two three"))
assert words.choices[0].message.content == '{"words":3}', words

# Stored responses: streamed, listed, branched, deleted.
kinds = [event.type for event in client.responses.retrieve(first.id, stream=True)]
assert (kinds[0], kinds[-1]) == ("response.created", "response.completed"), kinds
third = client.responses.create(model="assistant", input="Or?", previous_response_id=first.id)
assert third.output_text == "You sent 3 messages." and third.previous_response_id == first.id, third
items = client.responses.input_items.list(third.id, order="asc")
assert [item.role for item in items] == ["user", "assistant", "user"], items
client.responses.delete(third.id)
try:
    client.responses.retrieve(third.id)
    raise SystemExit("expected an error")
except openai.NotFoundError as error:
    assert error.code == "RunNotFound", error.body
try:
    client.chat.completions.create(model="sentimnt", messages=user("Hi"))
    raise SystemExit("expected an error")
except openai.NotFoundError as error:
    assert error.code == "model_not_found" and "did you mean 'sentiment'" in error.message, error.body
