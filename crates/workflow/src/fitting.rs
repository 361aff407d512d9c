//! The verdict on two schemas, in the words of a graph.

use serde_json::Value;

/// Whether what one gives is what another takes.
pub(crate) enum Fitting {
    /// It never is, for this reason.
    Never(String),
    /// It is, or may be.
    Possible,
}

/// Compares two schemas.
pub(crate) fn fitting(_producer: &Value, _consumer: &Value) -> Fitting {
    Fitting::Possible
}
