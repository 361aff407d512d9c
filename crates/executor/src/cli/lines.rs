//! The output of a CLI, line by line.

use std::process::ExitStatus;

use crate::child::{ChildOutput, Live};
use crate::program::{self, with_stderr};

use super::Program;

/// The longest line of a CLI: twice what the judge reads of one answer, because JSON in JSON grows.
pub(super) const LONGEST_LINE: usize = 16 * 1024 * 1024;

pub(crate) enum LineError {
    /// It wrote something that is not a line.
    Wrong(String),
    /// It has closed its stdout, having begun a line or not.
    Closed { unfinished: String },
}

/// The next line. Empty ones are skipped.
pub(crate) async fn next_line(program: &Program, live: &mut Live) -> Result<String, LineError> {
    let title = program.title;
    loop {
        match live.next_output().await {
            ChildOutput::Line(text) if text.trim().is_empty() => {}
            ChildOutput::Line(text) => return Ok(text),
            ChildOutput::Garbage => {
                return Err(LineError::Wrong(format!("{title} wrote invalid UTF-8")));
            }
            ChildOutput::TooLong => {
                let mebibytes = LONGEST_LINE / 1024 / 1024;
                return Err(LineError::Wrong(format!("{title} wrote a line of more than {mebibytes} MiB")));
            }
            ChildOutput::Closed { unfinished } => return Err(LineError::Closed { unfinished }),
        }
    }
}

/// How a CLI ended that closed its stdout before it had answered.
pub(crate) fn closed(
    program: &Program,
    status: Option<ExitStatus>,
    unfinished: &str,
    stderr: &str,
) -> String {
    let how = status.map_or_else(|| "closed its output".to_owned(), program::ended);
    let place = if unfinished.is_empty() { "before it answered" } else { "in the middle of a line" };
    with_stderr(&format!("{} {how} {place}", program.title), stderr)
}
