//! A place in a text, drawn for people: where it is, the line, and a mark under the offending part.
//!
//! The text is not trusted: characters that could control a terminal or reorder the line are
//! escaped.

use std::fmt::Write as _;
use std::ops::Range;

use owo_colors::OwoColorize as _;
use unicode_width::UnicodeWidthChar as _;

use crate::document::Source;

/// How many characters of a line are shown: what fits next to the gutter on most terminals.
const LINE_CHARACTERS: usize = 100;

/// How many characters come before the mark if the line is longer.
const LEADING_CHARACTERS: usize = 40;

/// A tab is this wide; terminals differ, so it is drawn as spaces.
const TAB: &str = "    ";

/// Line and column, counted from one; the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Position {
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}

/// Draws a range of a source, with the place as people write it (`$.a[0]`).
pub(crate) fn draw(source: &Source, range: Range<usize>, path: Option<&str>) -> String {
    // A cut-off document usually ends in a newline; the mark belongs to the last character before it.
    let end_of_text = source.text.trim_end().len();
    let start = range.start.min(end_of_text);
    let position = Position::of(&source.text, start);
    let (line, marked) = line_around(&source.text, start, range.end.max(start));
    // Cut first, draw later: the line may be a whole answer of megabytes.
    let before = line.get(..marked.start).unwrap_or_default();
    let is_long = line.chars().nth(LINE_CHARACTERS).is_some();
    let (prefix, before) = if is_long { shorten_start(before) } else { ("", before) };
    let room = LINE_CHARACTERS.saturating_sub(before.chars().count());
    let rest = line.get(marked.start..).unwrap_or_default();
    let (rest, suffix) = shorten_end(rest, room);
    let (target, after) = rest.split_at(marked.len().min(rest.len()));
    let (before, target, after) = (display(before), display(target), display(after));

    let number = position.line.to_string();
    let gutter = " ".repeat(number.len());
    let indent = " ".repeat(width(prefix) + width(&before));
    let mark = "^".repeat(width(&target).max(1));
    let mut drawing = format!(
        "{gutter}{} {}:{}:{}",
        "-->".blue().bold(),
        visible(&source.name),
        position.line,
        position.column
    );
    if let Some(path) = path.filter(|path| *path != "$") {
        let _ = write!(drawing, " at {}", visible(path));
    }
    let bar = "|".blue().to_string();
    let _ = write!(
        drawing,
        "\n{gutter} {bar}\n{} {bar} {prefix}{before}{target}{after}{suffix}\n{gutter} {bar} {indent}{}\n",
        number.blue().bold(),
        mark.red().bold()
    );
    drawing
}

/// The line that holds `start`, and the part of it that is marked: a range over several lines is marked on
/// its first one only.
fn line_around(text: &str, start: usize, end: usize) -> (&str, Range<usize>) {
    let line_start = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    let line = text.get(line_start..).unwrap_or_default().lines().next().unwrap_or_default();
    let from = (start - line_start).min(line.len());
    let to = (end - line_start).clamp(from, line.len());
    (line, from..to)
}

fn shorten_start(text: &str) -> (&str, &str) {
    match text.char_indices().rev().nth(LEADING_CHARACTERS) {
        Some((cut, first)) => ("…", text.get(cut + first.len_utf8()..).unwrap_or_default()),
        None => ("", text),
    }
}

fn shorten_end(text: &str, room: usize) -> (&str, &str) {
    match text.char_indices().nth(room) {
        Some((cut, _)) => (text.get(..cut).unwrap_or_default(), "…"),
        None => (text, ""),
    }
}

/// How many columns a terminal gives a text.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}

/// The same with tabs as spaces.
pub(crate) fn display(text: &str) -> String {
    visible(text).replace('\t', TAB)
}

/// The text with everything that could steer a terminal written as an escape. Line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    shown
}

fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Zero-width and direction marks: a line could read as something that it is not.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => true,
        _ => character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, range: Range<usize>) -> String {
        let source = Source { name: "a.json".to_owned(), text: text.to_owned() };
        anstream::adapter::strip_str(&draw(&source, range, Some("$.a"))).to_string()
    }

    #[test]
    fn the_mark_is_under_the_part() {
        insta::assert_snapshot!(plain("{\n\t\"a\": \"値段\", 1\n}", 8..16), @r#"
         --> a.json:2:7 at $.a
          |
        2 |     "a": "値段", 1
          |          ^^^^^^
        "#);
    }

    #[test]
    fn a_part_of_several_lines_is_marked_on_the_first() {
        insta::assert_snapshot!(plain("{\"a\": {\r\n\"b\": 1}}", 6..17), @r#"
         --> a.json:1:7 at $.a
          |
        1 | {"a": {
          |       ^
        "#);
    }

    #[test]
    fn the_end_of_the_text_is_marked_after_the_last_word() {
        insta::assert_snapshot!(plain("{\"a\":\n  1\n\n", 11..11), @r#"
         --> a.json:2:4 at $.a
          |
        2 |   1
          |    ^
        "#);
        insta::assert_snapshot!(plain("", 0..0), @r#"
         --> a.json:1:1 at $.a
          |
        1 | 
          | ^
        "#);
    }

    #[test]
    fn a_long_line_is_cut_around_the_part() {
        let text = format!("{}\"here\"{}", "x".repeat(1000), "y".repeat(1000));
        insta::assert_snapshot!(plain(&text, 1000..1006), @r#"
         --> a.json:1:1001 at $.a
          |
        1 | …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"here"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…
          |                                          ^^^^^^
        "#);
    }

    #[test]
    fn a_line_that_fits_is_not_cut() {
        let text = format!("{}\"here\"", "x".repeat(94));
        assert!(plain(&text, 94..100).contains(&format!("1 | {text}\n")));
    }

    #[test]
    fn terminal_controls_are_shown_not_sent() {
        assert_eq!(visible("a\u{1b}[31m\u{202e}b\u{9b}"), "a\\u{1b}[31m\\u{202e}b\\u{9b}");
    }
}
