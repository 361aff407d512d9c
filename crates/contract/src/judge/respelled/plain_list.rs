//! Lists that are written without square brackets: scalars behind one another, on lines of their own, or in the round
//! brackets of Python.

use std::ops::Range;

/// A text with the square brackets that such a list would have, if a stretch of it is one.
pub(super) fn bracketed(text: &str, stretch: Range<usize>) -> Option<String> {
    let part = text.get(stretch.clone())?;
    let round = part.strip_prefix('(').and_then(|inside| inside.strip_suffix(')'));
    let inside = round.unwrap_or(part).trim();
    let lines = inside.lines().map(|line| line.trim().trim_end_matches(',')).filter(|line| !line.is_empty());
    let items = lines.collect::<Vec<_>>().join(", ");
    let begins = items.starts_with(|first: char| matches!(first, '"' | '\'' | '-') || first.is_ascii_digit());
    // A comma between digits may be that of a fraction, or one that groups them.
    let grouped = items
        .as_bytes()
        .windows(3)
        .any(|three| matches!(three, [left, b',', right] if left.is_ascii_digit() && right.is_ascii_digit()));
    if !begins || grouped || !items.contains(", ") || items.contains(['{', '}', '[', ']']) {
        return None;
    }
    Some(format!("{}[{items}]{}", text.get(..stretch.start)?, text.get(stretch.end..)?))
}

#[cfg(test)]
mod tests {
    use super::bracketed;

    #[test]
    fn scalars_behind_one_another_are_a_list() {
        for (text, expected) in [
            ("1, 2, 3", "[1, 2, 3]"),
            ("\"a\"\n\n\"b\"\n", "[\"a\", \"b\"]\n"),
            ("1,\n2,\n3", "[1, 2, 3]"),
            ("('a', 1.5)", "['a', 1.5]"),
            ("(1, 2,)", "[1, 2]"),
        ] {
            let stretch = 0..text.trim_end().len();
            assert_eq!(bracketed(text, stretch).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        for text in
            ["1", "1,5", "1,234, 5", "a, b", "(see above, thanks)", "1, [2]", "\"a\": 1, \"b\": {}", ""]
        {
            assert_eq!(bracketed(text, 0..text.len()), None, "{text}");
        }
    }
}
