import { refusal, RunFailed, type RunView } from "./errors.js";
import { serverSentEvents } from "./events.js";

/** An agent with its types, as `accord types --lang ts` writes it. */
export interface Agent<Input, Output> {
  readonly name: string;
  readonly contract: string;
  readonly input: { parse(value: unknown): Input };
  readonly output: { parse(value: unknown): Output };
}

export interface ClientOptions {
  /** The API key, if the coordinator has keys. */
  key?: string | undefined;
}

export interface CreateOptions {
  /** Repeating a request with the same key does not create another run. */
  idempotencyKey?: string | undefined;
}

export interface WaitOptions {
  /** Stops the waiting; the run continues. */
  signal?: AbortSignal | undefined;
}

/** A run that was created. */
export interface Run<Output> {
  readonly id: string;
  readonly sessionId: string;
  readonly output: { parse(value: unknown): Output };
}

/** An event; the other fields depend on its type. */
export interface RunEvent {
  id: string;
  at: string;
  type: string;
  run_id: string | null;
  session_id: string | null;
  [field: string]: unknown;
}

/** How long one request waits; `wait` asks again. Proxies often drop what is silent for a minute. */
const WAIT_SECONDS = 25;

const FINAL_EVENTS = ["run.completed", "run.failed", "run.stopped"];

/** A coordinator. */
export class Client {
  readonly #url: string;
  readonly #key: string | undefined;

  constructor(url = "http://127.0.0.1:8765", options: ClientOptions = {}) {
    this.#url = url.replace(/\/+$/, "");
    this.#key = options.key;
  }

  /** Runs an agent and returns its result, or throws `RunFailed`. */
  async run<Input, Output>(
    agent: Agent<Input, Output>,
    input: NoInfer<Input>,
    options: CreateOptions & WaitOptions = {},
  ): Promise<Output> {
    return this.wait(await this.start(agent, input, options), options);
  }

  /** Creates a run. Throws `ContractChanged` if the agent has other schemas than these types. */
  async start<Input, Output>(
    agent: Agent<Input, Output>,
    input: NoInfer<Input>,
    options: CreateOptions = {},
  ): Promise<Run<Output>> {
    return this.#create(agent, { agent_name: agent.name, parameters: input }, options);
  }

  /** Creates a run that continues a session of this agent. */
  async resume<Input, Output>(
    agent: Agent<Input, Output>,
    sessionId: string,
    prompt: string,
    options: CreateOptions = {},
  ): Promise<Run<Output>> {
    return this.#create(agent, { session_id: sessionId, prompt }, options);
  }

  /** Waits for the result of a run. */
  async wait<Output>(run: Run<Output>, options: WaitOptions = {}): Promise<Output> {
    for (;;) {
      const response = await this.#request("GET", `/runs/${run.id}?wait=${WAIT_SECONDS}`, options.signal);
      const view = (await response.json()) as RunView;
      if (view.status === "completed") {
        return run.output.parse(view.result?.result_data ?? view.result?.result_text ?? null);
      }
      if (view.finished_at) throw new RunFailed(view);
    }
  }

  /** All events of a run from its beginning, until it is finished. A stream that ends early is opened again. */
  async *events<Output>(run: Run<Output>, options: WaitOptions = {}): AsyncGenerator<RunEvent> {
    let last = "0";
    for (;;) {
      const query = new URLSearchParams({ run_id: run.id, last_event_id: last });
      const response = await this.#request("GET", `/events?${query}`, options.signal);
      if (!response.body) throw new Error("the response has no body");
      for await (const { id, data } of serverSentEvents(response.body)) {
        last = id;
        const event = data as RunEvent;
        yield event;
        if (FINAL_EVENTS.includes(event.type)) return;
      }
      options.signal?.throwIfAborted();
    }
  }

  /** Stops a run. */
  async stop<Output>(run: Run<Output>): Promise<void> {
    await this.#request("POST", `/runs/${run.id}/stop`);
  }

  async #create<Input, Output>(
    agent: Agent<Input, Output>,
    body: unknown,
    options: CreateOptions,
  ): Promise<Run<Output>> {
    const headers: Record<string, string> = { "Accord-Contract": agent.contract };
    if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
    const response = await this.#request("POST", "/runs", undefined, body, headers);
    const made = (await response.json()) as { run_id: string; session_id: string };
    return { id: made.run_id, sessionId: made.session_id, output: agent.output };
  }

  async #request(
    method: string,
    path: string,
    signal?: AbortSignal,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Response> {
    const headers: Record<string, string> = { ...more };
    if (this.#key) headers["Authorization"] = `Bearer ${this.#key}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(this.#url + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    if (!response.ok) throw await refusal(response);
    return response;
  }
}
