//! Hostile inputs against the real binary: every route, every field, every file.
//!
//! After each of them the process lives, has given no 5xx but 503, has used a bounded amount of CPU time and memory, and
//! answers the next request. How long that next answer takes is printed and not asserted: other tests share the machine.
//! `HOSTILE_ROUNDS` asks for more combinations of routes and shapes, `HOSTILE_VERBOSE` prints what each one cost.

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

/// How many rounds of combinations are tried, each with other shapes for each field.
fn rounds() -> usize {
    std::env::var("HOSTILE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

/// One of so many shapes is tried in a round where each of them is costly.
const SHARE: usize = 4;

/// The costly shapes of all rounds: every fourth in the first, the next to each of them in the second, all in four.
fn shares<T>(shapes: &[T]) -> impl Iterator<Item = &T> {
    (0..rounds()).flat_map(|round| shapes.iter().skip(round % SHARE).step_by(SHARE))
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Some of the shapes for one place: others for its neighbours and in the next round, so that all have their turn.
fn turn<T>(shapes: &[T], place: usize, round: usize, count: usize) -> impl Iterator<Item = &T> {
    let from = place * count + round * 7;
    (from..from + count).filter_map(move |index| shapes.get(index % shapes.len().max(1)))
}
