// Job queues on PostgreSQL: whole cycles of pg-boss (send, fetch, complete) and graphile-worker (add, done).
//
// node queues.mjs <pg-boss|graphile-worker> <postgres:// address of an empty database> <callers> <seconds>

const [, , queue, url, callers, seconds] = process.argv;
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

const cycle = await (queue === "pg-boss" ? boss : worker)();
await cycle();
const times = [];
const cpu = process.cpuUsage();
const begun = performance.now();
const end = begun + Number(seconds) * 1000;
async function caller() {
  for (let at = performance.now(); at < end; ) {
    await cycle();
    const now = performance.now();
    times.push(now - at);
    at = now;
  }
}
await Promise.all(Array.from({ length: Number(callers) }, caller));
const taken = performance.now() - begun;
const used = process.cpuUsage(cpu);
times.sort((a, b) => a - b);
const percentile = (percent) => times[Math.min(times.length - 1, Math.floor((times.length * percent) / 100))];
console.log(
  JSON.stringify({
    cycles: times.length,
    cycles_per_second: (times.length * 1000) / taken,
    p50: percentile(50),
    p99: percentile(99),
    cpu_milliseconds: (used.user + used.system) / 1000 / times.length,
  }),
);
process.exit(0);
