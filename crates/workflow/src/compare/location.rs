//! Locations as models write them, made comparable: normalized paths, lines as numbers.

use accord_contract::Decimal;
use serde_json::Value;

/// Lines from first to last. One line is a range of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Lines {
    pub(super) first: u64,
    pub(super) last: u64,
}

impl Lines {
    fn new(one: u64, other: u64) -> Self {
        Self { first: one.min(other), last: one.max(other) }
    }

    /// How many lines are between the two; 0 if they overlap.
    pub(super) fn distance(self, other: Self) -> u64 {
        other.first.saturating_sub(self.last).max(self.first.saturating_sub(other.last))
    }
}

/// A path without `./`, doubled slashes, backslashes and `..` that can be resolved. `None` if there is no text.
pub(super) fn file(value: &Value) -> Option<String> {
    let written = value.as_str()?.trim().replace('\\', "/");
    let mut steps: Vec<&str> = Vec::new();
    for step in written.split('/').filter(|step| !step.is_empty() && *step != ".") {
        if step == ".." && steps.last().is_some_and(|last| *last != "..") {
            steps.pop();
        } else {
            steps.push(step);
        }
    }
    let root = if written.starts_with('/') { "/" } else { "" };
    (!steps.is_empty()).then(|| format!("{root}{}", steps.join("/")))
}

/// A file and the lines after its name (`src/a.rs:10`, `src/a.rs:10:5`, `src/a.rs#L10-L14`), if
/// any.
pub(super) fn without_lines(file: &str) -> Option<(String, Lines)> {
    let is_spelling = |text: &str| text.chars().all(|each| each.is_ascii_digit() || "Ll:-".contains(each));
    file.match_indices([':', '#']).find_map(|(at, sign)| {
        let (name, behind) = (file.get(..at)?, file.get(at + sign.len()..)?);
        let is_file = !name.is_empty() && !name.ends_with('/');
        let is_line = is_spelling(behind) && (sign == ":" || behind.starts_with(['L', 'l']));
        let lines = if is_file && is_line { written(behind)? } else { return None };
        Some((name.to_owned(), lines))
    })
}

/// Lines as a number, as a text (`10`, `L10`, `Lines 10-14`, `10 to 14`, `10:5`), as `[10, 14]` or as
/// `{"start": 10, "end": 14}`.
pub(super) fn lines(value: &Value) -> Option<Lines> {
    match value {
        Value::Number(_) => number(value).map(|line| Lines::new(line, line)),
        Value::String(text) => written(text),
        Value::Array(items) => match items.as_slice() {
            [one] => lines(one),
            [first, last] => Some(Lines::new(number(first)?, number(last)?)),
            _ => None,
        },
        Value::Object(members) => {
            let one_of = |names: [&str; 3]| names.iter().find_map(|name| members.get(*name)).and_then(number);
            let first = one_of(["start", "from", "first"])?;
            Some(Lines::new(first, one_of(["end", "to", "last"]).unwrap_or(first)))
        }
        Value::Null | Value::Bool(_) => None,
    }
}

/// A line number: whole and not negative, also where it is written as `10.0`, as `1e1` or as a text.
fn number(value: &Value) -> Option<u64> {
    match value.as_str() {
        Some(text) => digits(text),
        None => u64::try_from(Decimal::of(value)?.whole()?).ok(),
    }
}

/// Words before a line's number.
const WORDS: [&str; 4] = ["lines", "line", "ln.", "ln"];
/// Separators of the first and the last line.
const UNTIL: [&str; 7] = ["-", "\u{2013}", "\u{2014}", "...", "..", "to", "through"];
/// Separators of two locations.
const NEXT: [&str; 4] = [",", ";", "&", "and"];

fn written(text: &str) -> Option<Lines> {
    let text = text.to_lowercase();
    let (lines, mut rest) = range(&text)?;
    // Of several places the first is used, not the range between them. If one of them is not a place, there is none.
    while let Some(next) = after(rest, &NEXT) {
        // Three digits after a comma may be the end of one large number.
        let is_thousand = rest.starts_with(',') && next.bytes().take_while(u8::is_ascii_digit).count() == 3;
        if is_thousand {
            return None;
        }
        (_, rest) = range(next)?;
    }
    rest.is_empty().then_some(lines)
}

/// The lines at the beginning of a text, and what follows them.
fn range(text: &str) -> Option<(Lines, &str)> {
    let (first, rest) = line(text)?;
    match after(rest, &UNTIL) {
        Some(last) => line(last).map(|(last, rest)| (Lines::new(first, last), rest)),
        None => Some((Lines::new(first, first), rest)),
    }
}

/// The line at the beginning of a text, and what follows it.
fn line(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    let text = after(text, &WORDS).unwrap_or(text);
    let text = text.trim_start_matches(|each: char| each.is_whitespace() || "l#:".contains(each));
    let end = text.find(|each: char| !each.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = (text.get(..end)?.parse().ok()?, text.get(end..)?);
    // A column after the line says nothing about the line.
    let rest = match rest.strip_prefix(':') {
        Some(column) => column.trim_start_matches(|each: char| !"-\u{2013}\u{2014},;".contains(each)),
        None => rest,
    };
    Some((number, rest.trim_start()))
}

/// What follows one of these beginnings.
fn after<'t>(text: &'t str, beginnings: &[&str]) -> Option<&'t str> {
    beginnings.iter().find_map(|beginning| text.strip_prefix(beginning))
}

fn digits(text: &str) -> Option<u64> {
    let text = text.to_lowercase();
    line(&text).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_file_has_one_spelling() {
        for written in
            ["src/a.rs", "./src/a.rs", "src//a.rs", "src\\a.rs", " src/b/../a.rs ", "././src/./a.rs"]
        {
            assert_eq!(file(&json!(written)).as_deref(), Some("src/a.rs"), "{written}");
        }
        assert_eq!(file(&json!("/src/a.rs")).as_deref(), Some("/src/a.rs"));
        assert_eq!(file(&json!("../a.rs")).as_deref(), Some("../a.rs"));
        assert_eq!(file(&json!("größe/ß.rs")).as_deref(), Some("größe/ß.rs"));
        for nothing in [json!(""), json!("./"), json!(null), json!(7)] {
            assert_eq!(file(&nothing), None, "{nothing}");
        }
    }

    #[test]
    fn line_suffixes_are_split_off() {
        let ten = |last| Some(("src/a.rs".to_owned(), Lines { first: 10, last }));
        assert_eq!(without_lines("src/a.rs:10"), ten(10));
        assert_eq!(without_lines("src/a.rs:10:5"), ten(10));
        assert_eq!(without_lines("src/a.rs:10-14"), ten(14));
        assert_eq!(without_lines("src/a.rs#L10-L14"), ten(14));
        assert_eq!(without_lines("C:/a.rs:7"), Some(("C:/a.rs".to_owned(), Lines { first: 7, last: 7 })));
        for nothing in ["src/a.rs", ":10", "src/:10", "a.rs:", "a.rs:10:name", "C:/a.rs", "a#b.rs", "a#2"] {
            assert_eq!(without_lines(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn lines_are_read_in_every_spelling() {
        let ten = Some(Lines { first: 10, last: 10 });
        for written in [
            json!(10),
            json!(10.0),
            serde_json::from_str("1e1").unwrap(),
            json!("10"),
            json!("L10"),
            json!(" line 10 "),
            json!("10:5"),
            json!("Line 10"),
            json!("LINE: 10"),
            json!("ln 10"),
            json!("Ln. 10"),
            json!("#10"),
            // The lines between the two are not meant, and other findings may be about them.
            json!("10,14"),
            json!("10, 14 and 20"),
            json!([10]),
        ] {
            assert_eq!(lines(&written), ten, "{written}");
        }
        let range = Some(Lines { first: 10, last: 14 });
        for written in [
            json!("10-14"),
            json!("L10-L14"),
            json!("10 \u{2013} 14"),
            json!("10:1-14:2"),
            json!("lines 10-14"),
            json!("Lines 10 to 14"),
            json!("lines 10 through line 14"),
            json!("10..14"),
            json!("10...14"),
            json!("10-14, 20-22"),
            json!([10, 14]),
            json!([14, "10"]),
            json!({"start": 10, "end": 14}),
            json!({"from": 10, "to": 14}),
        ] {
            assert_eq!(lines(&written), range, "{written}");
        }
        for nothing in [
            json!(null),
            json!(""),
            json!("top"),
            json!(-1),
            json!(1.5),
            json!([]),
            json!([1, 2, 3]),
            json!({}),
            json!("10-"),
            json!("10,"),
            json!("1,234"),
            json!("10 or so"),
            json!("linear 10"),
            json!("1.5"),
            json!("99999999999999999999999"),
        ] {
            assert_eq!(lines(&nothing), None, "{nothing}");
        }
    }

    #[test]
    fn distance_is_the_gap() {
        let range = |first, last| Lines { first, last };
        assert_eq!(range(1, 5).distance(range(3, 9)), 0);
        assert_eq!(range(1, 5).distance(range(8, 9)), 3);
        assert_eq!(range(8, 9).distance(range(1, 5)), 3);
        assert_eq!(range(7, 7).distance(range(7, 7)), 0);
    }
}
