// Every conforming value of the schemas passes the generated Zod schemas and comes back equal; the others are rejected.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import * as agents from "./agents.js";

interface Fixture {
  values: unknown[];
  rejects: unknown[];
}

const folder = process.argv[2] ?? "";
const known = Object.values(agents).filter((each) => "contract" in each);
let checked = 0;
for (const file of readdirSync(folder)) {
  const name = file.replace(/\.json$/, "");
  const fixture = JSON.parse(readFileSync(join(folder, file), "utf8")) as Fixture;
  const agent = known.find((each) => each.name === name);
  assert(agent, name);
  for (const value of fixture.values) {
    assert.deepEqual(agent.output.parse(value), value, name);
    checked += 1;
  }
  for (const value of fixture.rejects) assert(!agent.output.safeParse(value).success, `${name}: ${JSON.stringify(value)}`);
}
assert(checked > 30);
console.log(`typescript: ${checked} values`);
