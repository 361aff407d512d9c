//! Places as models write them, made comparable: paths without detours, lines as numbers.

use serde_json::Value;

use crate::fit::Decimal;

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

    /// How many lines lie between the two; none where they overlap.
    pub(super) fn distance(self, other: Self) -> u64 {
        other.first.saturating_sub(self.last).max(self.first.saturating_sub(other.last))
    }
}

/// A path without `./`, doubled slashes, backslashes and `..` that can be resolved. Nothing where there is no text.
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

/// Lines as a number, as a text (`10`, `L10`, `10-14`, `10:5`), as `[10, 14]` or as `{"start": 10, "end": 14}`.
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

fn written(text: &str) -> Option<Lines> {
    // A column after the line says nothing about the line.
    let without_column = |part: &str| digits(part.split(':').next().unwrap_or_default());
    let mut parts = text.splitn(2, ['-', '\u{2013}', '\u{2014}']);
    let first = without_column(parts.next()?)?;
    let last = parts.next().map_or(Some(first), without_column)?;
    Some(Lines::new(first, last))
}

fn digits(text: &str) -> Option<u64> {
    let text = text.trim();
    let text = text.strip_prefix("line").unwrap_or(text).trim_start().trim_start_matches(['L', 'l', '#']);
    let only_digits = !text.is_empty() && text.bytes().all(|each| each.is_ascii_digit());
    only_digits.then(|| text.parse().ok()).flatten()
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
    fn lines_are_read_as_they_are_written() {
        let ten = Some(Lines { first: 10, last: 10 });
        for written in [
            json!(10),
            json!(10.0),
            serde_json::from_str("1e1").unwrap(),
            json!("10"),
            json!("L10"),
            json!(" line 10 "),
            json!("10:5"),
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
