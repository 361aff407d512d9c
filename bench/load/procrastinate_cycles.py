"""Whole cycles of procrastinate (defer, done).

python procrastinate_cycles.py <postgres:// address of an empty database> <callers> <seconds>
"""

import asyncio
import json
import sys
import time

from procrastinate import App, PsycopgConnector

url, callers, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
app = App(connector=PsycopgConnector(conninfo=url, min_size=4, max_size=20))
waiting: dict[int, asyncio.Future[None]] = {}


@app.task(name="bench")
async def bench(id: int, prompt: str) -> dict[str, str]:
    waiting[id].set_result(None)
    return {"severity": "high", "summary": "nobody can log in"}


async def cycle(id: int) -> None:
    done = waiting[id] = asyncio.get_running_loop().create_future()
    await bench.defer_async(id=id, prompt="Sort this ticket: nobody can log in since nine")
    await done
    del waiting[id]


async def main() -> None:
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        worker = asyncio.create_task(
            app.run_worker_async(
                concurrency=callers,
                install_signal_handlers=False,
                delete_jobs="never",
                # A job that comes while a worker finishes the one before is not announced again.
                fetch_job_polling_interval=0.1,
            )
        )
        await cycle(0)
        times: list[float] = []
        count = 0
        cpu, begun = time.process_time(), time.perf_counter()

        async def caller() -> None:
            nonlocal count
            while (at := time.perf_counter()) < begun + seconds:
                count += 1
                await cycle(count)
                times.append((time.perf_counter() - at) * 1000)

        await asyncio.gather(*(caller() for _ in range(callers)))
        taken, used = time.perf_counter() - begun, time.process_time() - cpu
        times.sort()
        print(
            json.dumps(
                {
                    "cycles": len(times),
                    "cycles_per_second": len(times) / taken,
                    "p50": times[len(times) * 50 // 100],
                    "p99": times[len(times) * 99 // 100],
                    "cpu_milliseconds": used * 1000 / len(times),
                }
            )
        )
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)


asyncio.run(main())
