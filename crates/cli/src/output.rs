//! The only place that writes to stdout and stderr.
//!
//! Data goes out byte for byte. Words may carry colours; they are dropped where the stream is not a terminal
//! or `NO_COLOR` is set.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

/// Whether a person looks at stdout.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes bytes to stdout as they are.
pub(crate) fn data(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Writes a value to stdout as one line of JSON.
pub(crate) fn json(value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    data(&line)
}

/// Writes a value to stdout as indented JSON.
pub(crate) fn pretty_json(value: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    data(&text)
}

/// Writes words to stdout.
pub(crate) fn show(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Writes words to stderr. A command does not fail because nobody listens there.
pub(crate) fn talk(text: &str) {
    let mut stderr = anstream::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
}
