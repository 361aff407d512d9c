// jsonrepair: `JSON.parse(jsonrepair(text))`. It takes no schema; the table checks the value afterwards. With a third argument `ajv`
// the value is validated within the time, with a validator that was compiled before.

const { readFileSync } = require("node:fs");
const { jsonrepair } = require("jsonrepair");

const [corpus, repetitions, ajv] = process.argv.slice(2);
const lines = readFileSync(corpus, "utf8").split("\n").filter((line) => line.trim() !== "");

function validator(schema) {
  const Ajv = require("ajv/dist/2020");
  const known = new Ajv({ strict: false, validateSchema: false, logger: false });
  require("ajv-formats")(known);
  return known.compile(schema);
}

for (const line of lines) {
  const { id, text, schema } = JSON.parse(line);
  let conforms = () => true;
  try {
    if (ajv) conforms = validator(schema);
  } catch {
    console.log(JSON.stringify({ id, unsupported: true }));
    continue;
  }
  let best = Infinity;
  let result = {};
  for (let round = 0; round < Number(repetitions); round += 1) {
    const start = process.hrtime.bigint();
    try {
      const value = JSON.parse(jsonrepair(text));
      result = conforms(value) ? { value } : {};
    } catch {
      result = {};
    }
    best = Math.min(best, Number(process.hrtime.bigint() - start));
  }
  console.log(JSON.stringify({ id, microseconds: best / 1000, ...result }));
}
