//! Objects that lost their first brace: it was given to the model as the beginning of its answer, so the text goes on
//! behind it.

use std::ops::Range;

use crate::surround::MAX_KEY_BYTES;

/// A text with the brace that is missing where a stretch of it begins, or the only fence in that stretch.
pub(super) fn opened(text: &str, stretch: Range<usize>) -> Option<String> {
    let part = text.get(stretch.clone())?;
    let (start, inside) = match part.find("```") {
        None => (stretch.start, part),
        Some(fence) => {
            let name = part.get(fence..)?.find('\n')? + 1;
            let (inside, behind) = part.get(fence + name..)?.split_once("```")?;
            (stretch.start + fence + name, Some(inside).filter(|_| !behind.contains("```"))?)
        }
    };
    let count = |bracket: u8| inside.bytes().filter(|byte| *byte == bracket).count();
    let lost = inside.trim_end().ends_with('}') && count(b'}') == count(b'{') + 1;
    if !lost || !begins_with_key(inside.trim_start()) {
        return None;
    }
    let (before, behind) = text.split_at_checked(start)?;
    Some(format!("{before}{{{behind}"))
}

fn begins_with_key(text: &str) -> bool {
    let Some(key) = text.strip_prefix('"') else { return false };
    let length = key.bytes().take(MAX_KEY_BYTES).position(|byte| matches!(byte, b'"' | b'\n'));
    let behind = length.and_then(|length| key.get(length..)).and_then(|rest| rest.strip_prefix('"'));
    behind.is_some_and(|behind| behind.trim_start().starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::opened;

    #[test]
    fn the_brace_stands_where_the_object_begins() {
        for (text, expected) in [
            ("\"a\": 1}", Some("{\"a\": 1}")),
            ("\n \"a\" : {}\n}\n", Some("{\n \"a\" : {}\n}\n")),
            ("So:\n```json\n\"a\": 1\n}\n```", Some("So:\n```json\n{\"a\": 1\n}\n```")),
            ("\"a\": 1", None),
            ("\"a\": {}", None),
            ("So \"a\": 1}", None),
            ("\"a\" and }", None),
            ("```\n\"a\": 1}\n```\n```\n\"a\": 2}\n```", None),
        ] {
            assert_eq!(opened(text, 0..text.len()).as_deref(), expected, "{text}");
        }
    }
}
