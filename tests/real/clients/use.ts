// The TypeScript client against a running coordinator. Usage: use.js URL [changed]
import assert from "node:assert/strict";

import { AccordError, Client, ContractChanged, RunFailed } from "accord-agents-client";
import { invoiceReader, shapes, wordCount, type WordCountOutput } from "./agents.js";

const client = new Client(process.argv[2]);
const input = { text: "one two three" };

if (process.argv[3] === "changed") {
  await assert.rejects(client.run(wordCount, input), (error) => {
    assert(error instanceof ContractChanged);
    assert.equal(error.status, 409);
    assert.deepEqual((error.details as { changed: string[] }).changed, ["output"]);
    assert.deepEqual(error.differences, [
      { schema: "output", path: "$.words", change: "removed" },
      { schema: "output", path: "$.word_total", change: "added, required" },
    ]);
    assert.match(error.message, /output \$\.words: removed/);
    return true;
  });
  process.exit(0);
}

const counted: WordCountOutput = await client.run(wordCount, input);
const words: number = counted.words;
assert.equal(words, 3);

const run = await client.start(wordCount, input, { idempotencyKey: "once too" });
assert.equal((await client.start(wordCount, input, { idempotencyKey: "once too" })).id, run.id);
const events: string[] = [];
for await (const event of client.events(run)) events.push(event.type);
assert.equal(events.at(-1), "run.completed");
assert(events.includes("result"));
assert.deepEqual(await client.wait(run), counted);

await assert.rejects(client.run(invoiceReader, { prompt: "A letter that was not recorded." }), (error) => {
  assert(error instanceof RunFailed);
  assert.equal(error.run.status, "failed");
  return true;
});
await assert.rejects(client.resume(wordCount, "ses_0", "again"), (error) => {
  assert(error instanceof AccordError);
  assert.equal(error.name, "SessionNotFound");
  return true;
});
const drawn = await client.run(shapes, { shape: { kind: "square", size: 2 }, label: 7 });
assert.deepEqual(drawn, { shape: { kind: "square", size: 2 }, label: 7 });
// @ts-expect-error A square has a size.
void (() => client.run(shapes, { shape: { kind: "square", radius: 2 } }));
console.log("typescript: client ok");
