//! Times, amounts and texts as people read them.

use std::fmt::Write as _;

use accord_api::{RequestedBy, Usage};
use jiff::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::excerpt::{visible, width};
use crate::output;

/// For anything older, a date is more useful than "days ago".
const RELATIVE_DAYS: i64 = 30;

/// How times are written: on a terminal how long ago, in a pipe exactly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    now: Timestamp,
    relative: bool,
}

impl Times {
    /// For stdout, now.
    pub(crate) fn here() -> Self {
        Self { now: Timestamp::now(), relative: output::stdout_is_terminal() }
    }

    /// A time, in a table.
    pub(crate) fn at(&self, at: Timestamp) -> String {
        let exact = exact(at);
        if !self.relative {
            return exact;
        }
        match self.now.as_second() - at.as_second() {
            // The clock is behind, so there is no useful age.
            ..0 => exact,
            seconds @ 0..60 => format!("{seconds}s ago"),
            seconds @ 60..3600 => format!("{}m ago", seconds / 60),
            seconds @ 3600..86400 => format!("{}h ago", seconds / 3600),
            seconds if seconds / 86400 < RELATIVE_DAYS => format!("{}d ago", seconds / 86400),
            _ => at.strftime("%Y-%m-%d").to_string(),
        }
    }

    /// How long something may still take.
    pub(crate) fn until(&self, at: Timestamp) -> String {
        match milliseconds(self.now, at) {
            left if self.relative && left > 0 => format!("for {} more", duration(left)),
            _ => format!("until {}", exact(at)),
        }
    }

    /// A time that stopped at `end`, or still runs.
    pub(crate) fn since(&self, start: Timestamp, end: Option<Timestamp>) -> String {
        duration(milliseconds(start, end.unwrap_or(self.now)))
    }

    #[cfg(test)]
    pub(crate) fn fixed(now: &str, relative: bool) -> Self {
        Self { now: now.parse().unwrap(), relative }
    }
}

/// A time, in UTC.
pub(crate) fn exact(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Milliseconds from one time to another; none where clocks disagree.
pub(crate) fn milliseconds(start: Timestamp, end: Timestamp) -> u64 {
    u64::try_from(end.as_millisecond() - start.as_millisecond()).unwrap_or_default()
}

pub(crate) fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0 => format!("{milliseconds}ms"),
        1..60 => format!("{seconds}.{}s", milliseconds % 1000 / 100),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A count, shortened past the thousands.
pub(crate) fn count(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}.{}k", number / 1000, number % 1000 / 100),
        _ => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}

/// Smaller costs are not shown as zero.
const LEAST_COST: f64 = 0.0001;

/// Money: more digits the smaller it is.
pub(crate) fn cost(usd: f64) -> String {
    if usd >= 1.0 || usd == 0.0 {
        format!("${usd:.2}")
    } else if usd < LEAST_COST {
        format!("<${LEAST_COST}")
    } else {
        format!("${usd:.4}")
    }
}

/// Tokens and money; nothing where nothing was used.
pub(crate) fn usage(usage: &Usage) -> String {
    let mut words = String::new();
    if usage.input_tokens + usage.output_tokens > 0 {
        words = format!("{} in, {} out", count(usage.input_tokens), count(usage.output_tokens));
    }
    if let Some(usd) = usage.cost_usd {
        let gap = if words.is_empty() { "" } else { ", " };
        let _ = write!(words, "{gap}{}", cost(usd));
    }
    words
}

/// The requester of a run: the key, and the run that it was requested by.
pub(crate) fn requested_by(by: &RequestedBy) -> String {
    let id = by.key_id.as_ref().map(ToString::to_string).unwrap_or_default();
    let key = match by.key_name.as_deref().map(line).unwrap_or_default() {
        name if name.is_empty() => id,
        name => format!("{name} ({id})"),
    };
    match &by.run_id {
        Some(run_id) if key.is_empty() => run_id.to_string(),
        Some(run_id) => format!("{key} through {run_id}"),
        None => key,
    }
}

/// One and many of a word.
pub(crate) fn counted(number: u64, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// A text on one line, nothing hidden in it.
pub(crate) fn line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// A text line by line, with control characters visible, and a prefix on each line but the first.
pub(crate) fn paragraph(text: &str, prefix: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(visible).collect();
    lines.join(&format!("\n{prefix}"))
}

/// A message of the validator as people read it. It escapes what could end a quotation in a prompt, which a terminal can show.
pub(crate) fn unescaped(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find('\\') {
        let (before, tail) = rest.split_at(at);
        shown.push_str(before);
        let escapes = [("\\\\", "\\\\"), ("\\u{3c}", "<"), ("\\u{3e}", ">"), ("\\u{60}", "`")];
        let escape = escapes.into_iter().find(|(escape, _)| tail.starts_with(escape));
        let (escape, plain) = escape.unwrap_or(("\\", "\\"));
        shown.push_str(plain);
        rest = tail.get(escape.len()..).unwrap_or_default();
    }
    shown + rest
}

/// A text on one line, with at most this many characters.
pub(crate) fn short(text: &str, characters: usize) -> String {
    let mut start: String = text.chars().take(characters).collect();
    if start.len() < text.len() {
        start.pop();
        start.push('…');
    }
    line(&start)
}

/// Names and values, one pair per line. Values of several lines are below their name.
pub(crate) fn fields(rows: &[(&str, String)]) -> String {
    let beside = rows.iter().filter(|(_, value)| !value.is_empty() && !value.contains('\n'));
    let broad = beside.map(|(name, _)| width(name)).max().unwrap_or_default();
    let mut text = String::new();
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        if value.contains('\n') {
            let _ = write!(text, "  {name}\n{}", indent(value, "    "));
        } else {
            let _ = writeln!(text, "  {name:broad$}  {value}");
        }
    }
    text
}

/// A prefix on every line.
pub(crate) fn indent(text: &str, prefix: &str) -> String {
    text.lines().map(|line| format!("{prefix}{line}\n")).collect()
}

/// A value as indented JSON that can steer no terminal.
pub(crate) fn json(value: &Value) -> String {
    visible(&serde_json::to_string_pretty(value).unwrap_or_default())
}

/// A document as indented JSON; unchanged if it is not JSON.
pub(crate) fn raw_json(document: &RawValue) -> String {
    match serde_json::from_str::<Value>(document.get()) {
        Ok(value) => json(&value),
        Err(_) => visible(document.get()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_relative_on_a_terminal_only() {
        let at = "2026-11-15T10:00:00Z".parse().unwrap();
        let cases = [
            ("2026-11-15T10:00:42Z", "42s ago"),
            ("2026-11-15T10:59:59Z", "59m ago"),
            ("2026-11-16T09:00:00Z", "23h ago"),
            ("2026-11-20T10:00:00Z", "5d ago"),
            ("2027-11-15T10:00:00Z", "2026-11-15"),
            ("2026-11-15T09:00:00Z", "2026-11-15 10:00:00"),
        ];
        for (now, expected) in cases {
            assert_eq!(Times::fixed(now, true).at(at), expected, "{now}");
        }
        assert_eq!(Times::fixed("2026-11-15T10:00:42Z", false).at(at), "2026-11-15 10:00:00");
        assert_eq!(Times::fixed("2026-11-15T09:30:00Z", true).until(at), "for 30m 00s more");
        assert_eq!(Times::fixed("2026-11-15T09:30:00Z", false).until(at), "until 2026-11-15 10:00:00");
        assert_eq!(Times::fixed("2026-11-15T10:30:00Z", true).until(at), "until 2026-11-15 10:00:00");
    }

    #[test]
    fn amounts_are_short() {
        let durations =
            [(0, "0ms"), (999, "999ms"), (1_250, "1.2s"), (61_000, "1m 01s"), (3_720_000, "1h 02m")];
        for (milliseconds, expected) in durations {
            assert_eq!(duration(milliseconds), expected);
        }
        for (number, expected) in [(9_999, "9999"), (12_345, "12.3k"), (1_250_000, "1.2M")] {
            assert_eq!(count(number), expected);
        }
        let used = Usage { input_tokens: 12_345, output_tokens: 7, cost_usd: Some(0.0123) };
        assert_eq!(usage(&used), "12.3k in, 7 out, $0.0123");
        assert_eq!(usage(&Usage::default()), "");
        let costs =
            [(0.0, "$0.00"), (0.000_02, "<$0.0001"), (0.0001, "$0.0001"), (0.5, "$0.5000"), (2.0, "$2.00")];
        for (usd, expected) in costs {
            assert_eq!(cost(usd), expected);
        }
    }

    #[test]
    fn a_text_on_one_line_hides_nothing() {
        assert_eq!(line("a\nb\u{1b}[2J"), "a\\nb\\u{1b}[2J");
        assert_eq!(paragraph("a\n  b\u{1b}[2J\n", "> "), "a\n>   b\\u{1b}[2J");
        assert_eq!(unescaped("'\\u{3c}a\\u{3e}' \\u{1b} \\\\u{3c} \\"), "'<a>' \\u{1b} \\\\u{3c} \\");
        assert_eq!(short("abcdef", 4), "abc…");
        assert_eq!(short("abcd", 4), "abcd");
    }

    #[test]
    fn fields_are_aligned() {
        let rows = [("a", "1".to_owned()), ("long", "x\ny".to_owned()), ("none", String::new())];
        assert_eq!(fields(&rows), "  a  1\n  long\n    x\n    y\n");
    }
}
