//! Hostile inputs against the real binary, from its own tables: every route of the OpenAPI document, every tool of the MCP
//! server, every executor and provider, every command of the command line.
//!
//! Nothing here lists routes, tools or commands. A new one is attacked on its first day; if it needs an object that must
//! exist first, the suite fails and says so. By default every place is attacked with a few shapes, and the next commit chooses
//! others. `HOSTILE_ROUNDS` sets how many members of each family of shapes a place gets; then every shape is used at some place, and
//! `all` is the full product. `HOSTILE_SEED` chooses the shapes and their parameters; by default it is the commit.
//!
//! After each attack the process must be alive, have answered without a 5xx other than 503, have used a bounded amount of
//! CPU time and memory, and have answered another client meanwhile. The time of that answer is printed but not asserted,
//! because other tests share the machine. With `HOSTILE_TABLE=FILE`, the worst case of each place is appended to a file.

mod commands;
mod deck;
mod executors;
mod hang_up;
mod help;
mod meter;
mod objects;
mod openapi;
mod programs;
mod providers;
mod report;
mod routes;
mod slow;
mod victim;
mod wire;
mod workflows;

/// The seed of this run.
fn seed() -> u64 {
    accord_test_support::seed("HOSTILE_SEED")
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
