//! What a command may cost.

use accord_contract::{Exceeded, Limits, Meter, Stop};

use crate::failure::Problem;

/// The limits of the coordinator, without its time limit: whoever waits for a command can stop it.
pub(crate) fn meter() -> Meter {
    Meter::new(Limits::WHOLE, Stop::default())
}

/// The problem of a command that takes too much.
pub(crate) fn too_much(what: &str) -> impl Fn(Exceeded) -> Problem {
    move |exceeded| Problem::new(format!("{what}: {exceeded}")).hint("make the schema or the value smaller")
}
