/** A run as the API shows it; all fields are in the OpenAPI document. */
export interface RunView {
  run_id: string;
  session_id: string;
  status: string;
  finished_at: string | null;
  error?: { type: string; message: string; validation_errors?: string[] };
  result?: { result_text: string | null; result_data: unknown };
  [field: string]: unknown;
}

/** The coordinator refused a request. `name` is one of docs/errors. */
export class AccordError extends Error {
  constructor(
    override readonly name: string,
    message: string,
    readonly status: number,
    readonly details?: unknown,
  ) {
    super(message);
  }
}

/** A change of a schema since the types were generated. */
export interface Difference {
  schema: "input" | "output";
  path: string;
  change: string;
}

/** The agent's schemas are not those that the types were generated from. Run `accord types` again. */
export class ContractChanged extends AccordError {
  /** What changed; null if the coordinator does not know the contract of these types. */
  get differences(): Difference[] | null {
    return (this.details as { differences?: Difference[] | null } | undefined)?.differences ?? null;
  }
}

/** The run has no result: it failed or was stopped. */
export class RunFailed extends Error {
  override readonly name = "RunFailed";
  readonly type: string;

  constructor(readonly run: RunView) {
    const type = run.error?.type ?? run.status;
    const message = run.error?.message ?? `the run is ${run.status}`;
    const field = run.error?.validation_errors?.[0];
    super(`${run.run_id}: ${type}: ${message}${field && !message.includes(field) ? `: ${field}` : ""}`);
    this.type = type;
  }
}

/** The error for a response that is none of success. */
export async function refusal(response: Response): Promise<AccordError> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as { error: unknown; message: unknown; details?: unknown };
    if (typeof body.error === "string" && typeof body.message === "string") {
      const Kind = body.error === "ContractChanged" ? ContractChanged : AccordError;
      return new Kind(body.error, body.message, response.status, body.details);
    }
  } catch {
    // Not from a coordinator: a proxy answers in its own words.
  }
  return new AccordError("UnexpectedResponse", text.slice(0, 500), response.status);
}
