//! Bounds of what requests and reports may have.

use accord_domain::usage::Usage;

use crate::error::{Error, refuse};

/// How much of an answer is kept on its attempt.
const ATTEMPT_TEXT_BYTES: usize = 1024 * 1024;

/// Rejects a wait that is too long.
pub(crate) fn check_wait(field: &str, seconds: u32, most: u32) -> Result<(), Error> {
    match seconds <= most {
        true => Ok(()),
        false => Err(refuse(format!(
            "expected {field} of at most {most} seconds, got {seconds}; repeat the request after that"
        ))),
    }
}

/// Statistics are sums of what is reported here.
pub(super) fn check_usage(of: &str, usage: &Usage) -> Result<(), Error> {
    usage.check().map_err(|reason| refuse(format!("{of}: {reason}")))
}

/// An answer as it is kept: all of it, up to a limit.
pub(super) fn shortened(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(ATTEMPT_TEXT_BYTES));
    text
}
