//! Texts and lists that are put together. The library does not count what `~` and `+` make, and what is added to itself again
//! and again fills the memory. So what stands in front of such a sign goes through a filter that pays for it and gives
//! it back as it is.

use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::code::{is_name, pieces};
use super::rendering::Rendering;
use crate::limits::MOST_FILTERED_BYTES;

/// What the filter is called.
const FILTER: &str = "put_together";

/// Words behind which a `+` is a sign of the number that follows.
const BEFORE_A_SIGN: [&str; 8] = ["and", "or", "not", "in", "is", "if", "else", "elif"];

pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_filter(FILTER, paid);
}

fn paid(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    let rendering = Rendering::of(state)?;
    match (value.as_str(), value.len()) {
        (Some(text), _) if text.len() > MOST_FILTERED_BYTES => {
            let message = format!(
                "it puts a text of more than {MOST_FILTERED_BYTES} bytes together, which is the most"
            );
            return Err(Error::new(ErrorKind::InvalidOperation, message));
        }
        (Some(text), _) => rendering.spend_bytes(text.len())?,
        (None, Some(items)) => rendering.spend(items as u64)?,
        (None, None) => {}
    }
    Ok(value)
}

/// The source of a template, with the filter in front of each sign that puts something together.
pub(super) fn watched(source: &str) -> String {
    let mut watched = String::with_capacity(source.len());
    let mut done = 0;
    for piece in pieces(source) {
        // The last word of a piece is at most a mark of its end, as in `+%}`.
        for words in piece.words.windows(3) {
            let [(_, before), (place, sign), _] = words else { continue };
            if *sign == "~" || *sign == "+" && ends_a_value(before) {
                watched.push_str(source.get(done..*place).unwrap_or_default());
                watched.push('|');
                watched.push_str(FILTER);
                watched.push(' ');
                done = *place;
            }
        }
    }
    watched.push_str(source.get(done..).unwrap_or_default());
    watched
}

fn ends_a_value(word: &str) -> bool {
    let last = word.chars().last();
    let is_value =
        is_name(word) || last.is_some_and(|last| last.is_alphanumeric() || "'\")]}".contains(last));
    is_value && !BEFORE_A_SIGN.contains(&word)
}
