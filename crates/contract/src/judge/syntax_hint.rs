//! Describes the error where a text stops being JSON, and what to write instead. Line and column
//! alone do not help a model.

use crate::parse::{ParseError, ParseErrorKind};
use crate::violation::escape::quoted;

/// Characters of a word that are shown.
const MAX_WORD_CHARACTERS: usize = 24;

/// Words of other languages, and what JSON has for them.
const WORDS: &[(&str, &str)] = &[
    ("None", "write null"),
    ("undefined", "JSON has no undefined; write null or omit the property"),
    ("True", "write true"),
    ("False", "write false"),
    ("NaN", "JSON has no such number; write null or a finite number"),
    ("Infinity", "JSON has no such number; write null or a finite number"),
    ("-Infinity", "JSON has no such number; write null or a finite number"),
];

/// Other quotes that are often written instead of the double quotes of JSON.
const OTHER_QUOTES: &[&str] =
    &["'", "`", "&quot;", "\u{201c}", "\u{201d}", "\u{201e}", "\u{2018}", "\u{2019}", "\u{ab}", "\u{bb}"];

/// A message for a syntax error, with the text at its position.
pub(super) fn explain(text: &str, error: &ParseError) -> String {
    let message = error.message();
    let (ParseErrorKind::Expected(_), Some((before, rest))) = (&error.kind, text.split_at_checked(error.at))
    else {
        return message;
    };
    match remedy(before, rest) {
        Some(remedy) => format!("{message}, got {}; {remedy}", quoted(word(rest))),
        None => format!("{message}, got {}", quoted(word(rest))),
    }
}

/// The word at the beginning of a text, or else its first character.
fn word(rest: &str) -> &str {
    if let Some(quote) = OTHER_QUOTES.iter().find(|quote| rest.starts_with(**quote)) {
        return quote;
    }
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let word = rest.char_indices().take(MAX_WORD_CHARACTERS).take_while(|(_, letter)| is_word(*letter));
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let length = word.last().map_or(first, |(start, letter)| start + letter.len_utf8());
    rest.get(..length).unwrap_or_default()
}

fn remedy(before: &str, rest: &str) -> Option<&'static str> {
    let found = word(rest);
    let before = before.trim_end();
    if rest.starts_with(['}', ']']) && before.ends_with(',') {
        return Some("remove the comma before it");
    }
    if let Some((_, remedy)) = WORDS.iter().find(|(known, _)| *known == found) {
        return Some(remedy);
    }
    if OTHER_QUOTES.contains(&found) {
        return Some("JSON strings use double quotes (\")");
    }
    let ends_string = before.ends_with('"') && rest.starts_with(|first: char| first.is_alphanumeric());
    ends_string.then_some("escape a double quote inside a string as \\\"")
}
