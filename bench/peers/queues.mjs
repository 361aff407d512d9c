// Job queues on PostgreSQL, next to the example `cycles` of `store-postgres`: whole cycles per second of pg-boss (send, fetch,
// complete) and graphile-worker (add, done).
//
// npm install pg-boss@10 graphile-worker@0.17 pg
// node queues.mjs <boss|worker> <postgres:// address of an empty database> <callers>

const [, , queue, url, callers] = process.argv;
const SECONDS = 6;
const INPUT = { prompt: "Sort this ticket: nobody can log in since nine" };
const RESULT = { severity: "high", summary: "nobody can log in" };

async function boss() {
  const { default: PgBoss } = await import("pg-boss");
  const boss = new PgBoss({ connectionString: url, max: 20, supervise: false, schedule: false });
  boss.on("error", console.error);
  await boss.start();
  await boss.createQueue("bench");
  return async () => {
    await boss.send("bench", INPUT);
    let jobs = [];
    while (jobs.length === 0) jobs = await boss.fetch("bench");
    await boss.complete("bench", jobs[0].id, RESULT);
  };
}

async function worker() {
  const { Logger, run } = await import("graphile-worker");
  const { default: pg } = await import("pg");
  const pgPool = new pg.Pool({ connectionString: url, max: 20 });
  const runner = await run({
    pgPool,
    concurrency: Number(callers),
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: { bench: async () => RESULT },
  });
  const waiting = new Map();
  runner.events.on("job:complete", ({ job }) => waiting.get(job.payload.id)?.());
  let count = 0;
  return async () => {
    const id = ++count;
    const done = new Promise((resolve) => waiting.set(id, resolve));
    await runner.addJob("bench", { ...INPUT, id });
    await done;
    waiting.delete(id);
  };
}

const cycle = await (queue === "boss" ? boss : worker)();
await cycle();
let cycles = 0;
const begun = Date.now();
const end = begun + SECONDS * 1000;
async function caller() {
  while (Date.now() < end) {
    await cycle();
    cycles += 1;
  }
}
await Promise.all(Array.from({ length: Number(callers) }, caller));
console.log(`${queue}, ${callers} callers: ${Math.round((cycles * 1000) / (Date.now() - begun))} cycles/s`);
process.exit(0);
