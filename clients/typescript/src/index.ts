/** Client for Accord's HTTP API, typed by what `accord types --lang ts` writes. */

export { Client, type Agent, type ClientOptions, type CreateOptions, type Run, type RunEvent, type WaitOptions } from "./client.js";
export { AccordError, ContractChanged, RunFailed, type Difference, type RunView } from "./errors.js";
