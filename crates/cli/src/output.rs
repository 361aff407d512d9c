//! The only place that writes to stdout and stderr.
//!
//! Data is written unchanged. Messages may have colours, which are removed if the stream is not a
//! terminal or `NO_COLOR` is set.
//!
//! A closed stdout (`| head`) is not a failure: the rest of the output is dropped, and the command
//! ends as it would have. Endless commands check [`still_read`].

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::excerpt::visible;
use crate::view::text;

/// Whether a person looks at stdout.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether words on stdout keep their colours.
pub(crate) fn stdout_has_colours() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

static HAS_DATA: AtomicBool = AtomicBool::new(false);

/// Whether anything was written to stdout as data.
pub(crate) fn has_data() -> bool {
    HAS_DATA.load(Ordering::Relaxed)
}

static IS_UNREAD: AtomicBool = AtomicBool::new(false);

/// Fails if stdout is closed.
pub(crate) fn still_read() -> io::Result<()> {
    match IS_UNREAD.load(Ordering::Relaxed) {
        true => Err(io::ErrorKind::BrokenPipe.into()),
        false => Ok(()),
    }
}

/// Notes that the reader has gone, instead of failing.
fn noted(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            IS_UNREAD.store(true, Ordering::Relaxed);
            Ok(())
        }
        written => written,
    }
}

/// Writes bytes to stdout as they are.
pub(crate) fn data(bytes: &[u8]) -> io::Result<()> {
    HAS_DATA.store(true, Ordering::Relaxed);
    let mut stdout = io::stdout().lock();
    noted(stdout.write_all(bytes).and_then(|()| stdout.flush()))
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

/// Writes a result to stdout: as it was written in a pipe, indented and harmless on a terminal.
pub(crate) fn result(data: Option<&RawValue>, text: Option<&str>) -> io::Result<()> {
    let for_people = stdout_is_terminal();
    let mut shown = match (data, text) {
        (Some(data), _) if for_people => text::raw_json(data),
        (Some(data), _) => data.get().to_owned(),
        (None, Some(text)) if for_people => visible(text),
        (None, Some(text)) => text.to_owned(),
        // Without a text there is a value, and one that reads as nothing is null.
        (None, None) => "null".to_owned(),
    };
    if !shown.ends_with('\n') {
        shown.push('\n');
    }
    self::data(shown.as_bytes())
}

/// Writes words to stdout.
pub(crate) fn show(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    noted(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Words as they may be shown on stderr, for what writes them there itself: progress bars.
pub(crate) fn on_stderr(text: &str) -> String {
    coloured(text, AutoStream::choice(&io::stderr()))
}

fn coloured(text: &str, choice: ColorChoice) -> String {
    match choice {
        ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    }
}

/// Writes a message to stderr. A closed stderr is not a failure.
pub(crate) fn message(text: &str) {
    let mut stderr = anstream::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use owo_colors::OwoColorize as _;

    use super::*;

    #[test]
    fn colours_are_removed_if_unwanted() {
        let text = format!("{} done", "✓".green());
        assert_eq!(coloured(&text, ColorChoice::Never), "✓ done");
        assert_eq!(coloured(&text, ColorChoice::Always), text);
    }
}
