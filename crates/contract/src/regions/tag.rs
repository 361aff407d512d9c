//! The tags and tokens that models put around parts of a text: `<name>`, `</name attribute="">`, `<|begin_of_name|>`.

/// The text around the name in a tag that opens a wrapper, and in one that closes it.
const OPENING: &[&str] =
    &["begin_of_", "start_of_", "begin_", "start_", "_begin", "_start", "\u{2581}begin", "\u{2581}start"];
const CLOSING: &[&str] = &["/", "end_of_", "end_", "_end", "\u{2581}end"];

/// What separates the words of a name. Some models write a line below the letters of their tokens.
const SEPARATORS: [char; 5] = ['_', '-', ':', '.', '\u{2581}'];

/// The longest tag that is looked at: a name and a few attributes.
const MAX_TAG_BYTES: usize = 128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Opens,
    Closes,
    IsEmpty,
}

pub(crate) struct Tag<'a> {
    /// The name without what says whether it opens or closes.
    pub(crate) name: &'a str,
    pub(crate) role: Role,
    pub(crate) length: usize,
}

impl<'a> Tag<'a> {
    pub(crate) fn at(text: &'a str, at: usize) -> Option<Self> {
        let rest = text.get(at..)?.strip_prefix('<')?;
        let token = ['|', '\u{ff5c}'].iter().find_map(|bar| Some((*bar, rest.strip_prefix(*bar)?)));
        match token {
            Some((bar, token)) => Self::token(token, bar),
            None => Self::plain(rest),
        }
    }

    fn plain(rest: &'a str) -> Option<Self> {
        let named = rest.strip_prefix('/').unwrap_or(rest);
        let name =
            named.get(..named.bytes().take(MAX_TAG_BYTES).take_while(|byte| is_name(*byte)).count())?;
        let behind = named.as_bytes().get(name.len())?;
        if name.is_empty() || !matches!(behind, b'>' | b' ' | b'/' | b'\n' | b'\t') {
            return None;
        }
        let end = rest.bytes().take(MAX_TAG_BYTES).position(|byte| byte == b'>')?;
        let role = match rest.starts_with('/') {
            true => Role::Closes,
            false if rest.get(..end)?.ends_with('/') => Role::IsEmpty,
            false => Role::Opens,
        };
        Some(Self { name, role, length: end + 2 })
    }

    /// What says that it opens may be missing: `<|think|>`.
    fn token(rest: &'a str, bar: char) -> Option<Self> {
        let is_outside =
            |letter: char| !(letter.is_ascii_alphanumeric() || letter == '/' || SEPARATORS.contains(&letter));
        let (end, _) = rest.char_indices().take(MAX_TAG_BYTES).find(|(_, letter)| is_outside(*letter))?;
        let (whole, behind) = rest.split_at_checked(end)?;
        let found = |affixes: &[&str]| affixes.iter().find_map(|affix| without(whole, affix));
        let (name, role) = match found(CLOSING) {
            Some(name) => (name, Role::Closes),
            None => (found(OPENING).unwrap_or(whole), Role::Opens),
        };
        behind.strip_prefix(bar)?.strip_prefix('>')?;
        Some(Self { name, role, length: end + 2 + 2 * bar.len_utf8() })
    }

    /// Where the text continues if the closing tag is at this position.
    pub(crate) fn closed_at(&self, text: &str, at: usize) -> Option<usize> {
        let close = Tag::at(text, at)?;
        let closes = close.role == Role::Closes && begins_with(close.name, self.name);
        (closes && !is_spoken_of(text, at, close.length)).then_some(at + close.length)
    }

    /// Where the text continues after the tag that closes this one. One that is never closed takes the rest.
    pub(crate) fn closing(&self, text: &str, from: usize) -> usize {
        let mut at = from;
        while let Some(found) = text.get(at..).and_then(|rest| rest.find('<')) {
            at += found;
            if let Some(end) = self.closed_at(text, at) {
                return end;
            }
            at += 1;
        }
        text.len()
    }
}

/// The words of a name in small letters: `thinking`, `process` of `thinking_process` and of `thinkingProcess`. Numbers
/// are skipped.
pub(crate) fn tag_words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = None;
    for letter in name.chars() {
        let begins = letter.is_uppercase() && before.is_some_and(char::is_lowercase);
        if begins || !letter.is_alphabetic() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphabetic() {
            word.extend(letter.to_lowercase());
        }
        before = Some(letter);
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

pub(crate) fn begins_with(text: &str, mark: &str) -> bool {
    text.as_bytes().get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark.as_bytes()))
}

/// Where the text continues after the next such mark. Without one, the rest is taken.
pub(crate) fn closing_mark(text: &str, from: usize, mark: &str) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let mut found =
        rest.windows(mark.len()).enumerate().filter(|(_, part)| part.eq_ignore_ascii_case(mark.as_bytes()));
    let close = found.find(|(place, _)| !is_spoken_of(text, from + place, mark.len()));
    close.map_or(text.len(), |(place, _)| from + place + mark.len())
}

/// Whether a mark is alone in quotes or in a code span, where prose speaks of it.
pub(crate) fn is_spoken_of(text: &str, at: usize, length: usize) -> bool {
    let (Some(before), Some(behind)) = (text.get(..at), text.get(at + length..)) else { return false };
    [('`', '`'), ('"', '"'), ('\'', '\''), ('\u{201c}', '\u{201d}'), ('\u{2018}', '\u{2019}')].iter().any(
        |(open, close)| {
            let (Some(before), Some(behind)) = (before.strip_suffix(*open), behind.strip_prefix(*close))
            else {
                return false;
            };
            let opens = before.chars().next_back().is_none_or(|last| last.is_whitespace() || last == '(');
            let closes = !behind.starts_with(|next: char| next.is_alphanumeric() || "_{[`\"'".contains(next));
            opens && closes
        },
    )
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.')
}

/// The text without an affix, which is a suffix if it starts with a separator, else a prefix.
fn without<'a>(text: &'a str, affix: &str) -> Option<&'a str> {
    match affix.starts_with(SEPARATORS) {
        true => {
            let (name, end) = text.split_at_checked(text.len().checked_sub(affix.len())?)?;
            end.eq_ignore_ascii_case(affix).then_some(name)
        }
        false => text.get(affix.len()..).filter(|_| begins_with(text, affix)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        for (name, expected) in [
            ("thinking_process", vec!["thinking", "process"]),
            ("chainOfThought", vec!["chain", "of", "thought"]),
            ("THOUGHT-2", vec!["thought"]),
            ("tool\u{2581}output", vec!["tool", "output"]),
            ("12", vec![]),
        ] {
            assert_eq!(tag_words(name), expected, "{name}");
        }
    }

    #[test]
    fn tokens_may_have_wide_bars() {
        let token = "<\u{ff5c}tool\u{2581}output\u{2581}begin\u{ff5c}>";
        let tag = Tag::at(token, 0).unwrap();
        assert_eq!((tag.name, tag.role, tag.length), ("tool\u{2581}output", Role::Opens, token.len()));
    }
}
