//! The wrappers in which models think aloud. What stands inside is never an answer.

/// Tag names, as in `<think>…</think>`. Letter case and attributes do not matter.
const TAGS: &[&str] = &[
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reflection",
    "scratchpad",
    "antthinking",
    "inner_monologue",
    "seed:think",
];

/// Wrappers that are not written as tags.
const PAIRS: &[(&str, &str)] = &[
    ("[THINK]", "[/THINK]"),
    ("\u{25c1}think\u{25b7}", "\u{25c1}/think\u{25b7}"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// The longest tag that is looked at: a name and a few attributes.
const MAX_TAG_BYTES: usize = 128;

/// What begins at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A whole wrapper; the text goes on at `end`. A wrapper that never closes takes the rest of the text.
    Wrapper { end: usize },
    /// The end of a wrapper whose beginning the text does not have.
    Close { end: usize },
}

/// The reasoning mark at a position, if there is one.
pub(crate) fn at(text: &str, at: usize) -> Option<Mark> {
    let rest = text.get(at..)?;
    for (open, close) in PAIRS {
        if let Some(inside) = rest.strip_prefix(open) {
            let end = inside.find(close).map_or(text.len(), |found| at + open.len() + found + close.len());
            return Some(Mark::Wrapper { end });
        }
        if rest.starts_with(close) && *close != "<|end|>" {
            return Some(Mark::Close { end: at + close.len() });
        }
    }
    let tag = rest.strip_prefix('<')?;
    let closes = tag.starts_with('/');
    let name = tag.strip_prefix('/').unwrap_or(tag);
    let name = TAGS.iter().find(|candidate| names(name, candidate))?;
    let length = rest.bytes().take(MAX_TAG_BYTES).position(|byte| byte == b'>')? + 1;
    if closes {
        return Some(Mark::Close { end: at + length });
    }
    if rest.get(..length)?.ends_with("/>") {
        return Some(Mark::Wrapper { end: at + length });
    }
    Some(Mark::Wrapper { end: closing_tag(text, at + length, name) })
}

/// Whether a tag's text begins with exactly this name.
fn names(tag: &str, name: &str) -> bool {
    let bytes = tag.as_bytes();
    bytes.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        && matches!(bytes.get(name.len()), Some(b'>' | b' ' | b'/' | b'\n' | b'\t'))
}

fn closing_tag(text: &str, from: usize, name: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'<')) {
        at += found + 1;
        let Some(rest) = bytes.get(at..) else { break };
        let is_close = rest.first() == Some(&b'/')
            && rest.get(1..=name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
        if is_close && let Some(end) = rest.iter().take(MAX_TAG_BYTES).position(|byte| *byte == b'>') {
            return at + end + 1;
        }
    }
    text.len()
}

/// Where a text goes on after the reasoning at its beginning.
pub(crate) fn skip_leading(text: &str) -> usize {
    let mut start = 0;
    loop {
        let blank = text.get(start..).unwrap_or_default();
        let next = start + (blank.len() - blank.trim_start().len());
        match at(text, next) {
            Some(Mark::Wrapper { end } | Mark::Close { end }) => start = end,
            None => return next,
        }
    }
}
