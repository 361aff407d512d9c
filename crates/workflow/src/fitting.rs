//! The verdict on two schemas, in the words of a graph.

use serde_json::Value;

use crate::fit::{Fit, Misfit, fits};

/// Whether what one gives is what another takes.
pub(crate) enum Fitting {
    /// It never is, for this reason.
    Never(String),
    /// It is, or may be.
    Possible,
}

/// Compares two schemas.
pub(crate) fn fitting(producer: &Value, consumer: &Value) -> Fitting {
    match fits(producer, consumer) {
        Fit::CannotFit(misfits) => Fitting::Never(told(&misfits)),
        Fit::Fits | Fit::CannotTell(_) => Fitting::Possible,
    }
}

fn told(misfits: &[Misfit]) -> String {
    let one = |misfit: &Misfit| match misfit.pointer.as_str() {
        "" => misfit.message.clone(),
        pointer => format!("{pointer}: {}", misfit.message),
    };
    misfits.iter().map(one).collect::<Vec<_>>().join("; ")
}
