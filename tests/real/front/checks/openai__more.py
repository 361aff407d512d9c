"""What the official Python client sees beyond the example of the guide."""

import os
import time

import openai
from pydantic import BaseModel

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
try:
    client.chat.completions.parse(model="sentiment", messages=user("Hi"), response_format=Sentiment)
    raise SystemExit("expected an error")
except openai.ConflictError as error:
    assert error.code == "OutputSchemaConflict", error.body
try:
    client.chat.completions.create(model="sentimnt", messages=user("Hi"))
    raise SystemExit("expected an error")
except openai.NotFoundError as error:
    assert error.code == "model_not_found" and "did you mean 'sentiment'" in error.message, error.body
