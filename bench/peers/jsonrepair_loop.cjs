// jsonrepair: `JSON.parse(jsonrepair(text))`. It takes no schema; the table checks the value afterwards.

const { readFileSync } = require("node:fs");
const { jsonrepair } = require("jsonrepair");

const [corpus, repetitions] = process.argv.slice(2);
const lines = readFileSync(corpus, "utf8").split("\n").filter((line) => line.trim() !== "");

for (const line of lines) {
  const { id, text } = JSON.parse(line);
  let best = Infinity;
  let result = {};
  for (let round = 0; round < Number(repetitions); round += 1) {
    const start = process.hrtime.bigint();
    try {
      result = { value: JSON.parse(jsonrepair(text)) };
    } catch {
      result = {};
    }
    best = Math.min(best, Number(process.hrtime.bigint() - start));
  }
  console.log(JSON.stringify({ id, microseconds: best / 1000, ...result }));
}
