// Uses the generated types: a run with wait, its result, and an error.
import createClient from "openapi-fetch";

import type { components, paths } from "./api.js";

type Run = components["schemas"]["RunView"];
type Event = components["schemas"]["EventView"];

function isWhole(run: components["schemas"]["NewRun"]): run is Run {
  return "agent_name" in run;
}

/** The union of events is told apart by its tag. */
function words(event: Event): string {
  switch (event.type) {
    case "attempt.judged":
      return event.attempt.outcome;
    case "run.failed":
      return event.error.message;
    default:
      return event.type;
  }
}

declare const process: { argv: string[] };
const url = process.argv[2] ?? "";
const client = createClient<paths>({ baseUrl: url });

const { data, error } = await client.POST("/runs", {
  params: { query: { wait: 30 } },
  body: {
    agent_name: "release-notes",
    parameters: {
      version: "1.4.0",
      commits: [
        "Add a dark theme",
        "Fix a crash on an empty search",
        "Fix wrong totals in the CSV export",
        "Update dependencies",
      ],
    },
  },
});
if (error) throw new Error(`${error.error}: ${error.message}`);
if (!isWhole(data) || data.status !== "completed") throw new Error(JSON.stringify(data));
const result = data.result?.result_data as { version: string };
const events = await client.GET("/sessions/{id}/events", { params: { path: { id: data.session_id } } });
console.log("typescript:", data.run_id, result.version, events.data?.items.map(words).join(" "));

const missing = await client.GET("/runs/{id}", { params: { path: { id: "run_none" } } });
if (missing.error?.error !== "RunNotFound") throw new Error(JSON.stringify(missing));
