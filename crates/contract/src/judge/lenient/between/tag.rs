//! Tags and special tokens around values.

use super::words::{Word, words_of};

/// Tags that break lines and hold nothing.
const LINE_BREAKS: &[&str] = &["br", "hr", "li", "p"];

/// A tag, by what its name has in common with the others of its kind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) closes: bool,
}

impl Tag {
    /// What stands between `<` and `>` as a tag: `/item`, `item id="2"`, `|tool_call_begin|`. Numbers at the end of
    /// a name count. `None` if it is one that holds nothing.
    pub(super) fn of(inside: &str) -> Option<Self> {
        let closes = inside.starts_with('/');
        let name = inside.trim_start_matches(['/', '|', '\u{ff5c}']);
        let is_name =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':' | '\u{2581}');
        let length = name.find(|letter: char| !is_name(letter)).unwrap_or(name.len());
        let name = name.get(..length)?.to_lowercase();
        let trimmed = |name: &str| {
            let is_count = |letter: char| letter.is_ascii_digit() || matches!(letter, '_' | '-' | '\u{2581}');
            name.trim_end_matches(is_count).to_owned()
        };
        if inside.ends_with('/') || LINE_BREAKS.contains(&name.as_str()) {
            return None;
        }
        let part = |suffix: &str| {
            let before = name.strip_suffix(suffix)?;
            before.ends_with(['_', '-', '\u{2581}']).then(|| trimmed(before))
        };
        let (ends, begins) = (part("end"), part("begin").or_else(|| part("start")));
        Some(match (ends, begins) {
            (Some(name), _) => Self { name, closes: true },
            (None, Some(name)) => Self { name, closes },
            (None, None) => Self { name: trimmed(&name), closes },
        })
    }

    /// Whether it is around the call of a tool.
    pub(super) fn is_call(&self) -> bool {
        ["tool", "function", "call"].iter().any(|word| self.name.contains(word))
    }

    /// Whether its name says that the value in it is one of several ways to answer.
    pub(super) fn is_doubtful(&self) -> bool {
        words_of(&self.name).iter().any(|word| Word::of(word) == Word::Doubtful)
    }
}

/// What is inside the tag that a text begins with, and what is behind it.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('<')?;
    let end = inside.find(['<', '>'])?;
    let behind = inside.get(end..)?.strip_prefix('>')?;
    Some((inside.get(..end)?, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_one_kind_have_one_name() {
        let tag = |name: &str, closes: bool| Some(Tag { name: name.to_owned(), closes });
        for (inside, expected) in [
            ("item", tag("item", false)),
            ("/item", tag("item", true)),
            ("item_2", tag("item", false)),
            ("Item id=\"2\"", tag("item", false)),
            ("function=get_time", tag("function", false)),
            ("|tool_call_end|", tag("tool_call", true)),
            ("\u{ff5c}tool\u{2581}call\u{2581}begin\u{ff5c}", tag("tool\u{2581}call", false)),
            ("backend", tag("backend", false)),
            ("br", None),
            ("item/", None),
        ] {
            assert_eq!(Tag::of(inside), expected, "{inside}");
        }
    }
}
