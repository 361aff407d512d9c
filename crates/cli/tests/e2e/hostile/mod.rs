//! Hostile inputs against the real binary: every route, every field, every file.
//!
//! After each input the process must be alive, have answered without a 5xx other than 503, have
//! used a bounded amount of CPU time and memory, and answer the next request. The time of that next
//! answer is printed but not asserted, because other tests share the machine. Set `HOSTILE_ROUNDS`
//! for more combinations of routes and shapes, and `HOSTILE_VERBOSE` to print the cost of each.

mod answers;
mod conditions;
mod files;
mod hang_up;
mod meter;
mod openapi;
mod routes;
mod run_token;
mod schemas;
mod templates;
mod victim;
mod wire;

/// The number of rounds, each with different shapes for each field.
fn rounds() -> usize {
    std::env::var("HOSTILE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

/// One in this many shapes is tried per round if each is expensive.
const SHARE: usize = 4;

/// The expensive shapes of all rounds: every fourth in the first round, the following ones in the
/// second, all after four.
fn shares<T>(shapes: &[T]) -> impl Iterator<Item = &T> {
    (0..rounds()).flat_map(|round| shapes.iter().skip(round % SHARE).step_by(SHARE))
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Some of the shapes for one place. Neighbouring places and the next round get others, so that all
/// are used.
fn turn<T>(shapes: &[T], place: usize, round: usize, count: usize) -> impl Iterator<Item = &T> {
    let from = place * count + round * 7;
    (from..from + count).filter_map(move |index| shapes.get(index % shapes.len().max(1)))
}
