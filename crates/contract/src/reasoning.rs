//! The wrappers in which models think aloud. What stands inside is never an answer.
//!
//! Models name their wrappers as they like, so names are told by their last word: `<longcat_think>`,
//! `<|END_THINKING|>`, `<chain_of_thought>`. Some words are also names of answers, as in `<analysis>`: a tag of such
//! a name is reasoning only before the first value, and only if it holds more than a value. A tag that prose speaks
//! of, alone in quotes or in a code span, is none.

use crate::parse;

/// Names that are always those of reasoning. Letter case never matters.
const NAMES: &[&str] = &["reasoning", "reflection", "scratchpad", "antthinking", "inner_monologue"];

/// The last words of such names.
const WORDS: &[&str] = &["think", "thinking", "thought", "thoughts"];

/// How names end that may also be names of answers.
const DOUBTFUL: &[&str] = &[
    "think",
    "thinking",
    "analysis",
    "reasoning",
    "reflection",
    "scratchpad",
    "monologue",
    "deliberation",
    "rationale",
];

/// Wrappers that are not written as tags.
const PAIRS: &[(&str, &str)] = &[
    ("[THINK]", "[/THINK]"),
    ("\u{25c1}think\u{25b7}", "\u{25c1}/think\u{25b7}"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// The closing marks that have other uses too.
const SHARED: &[&str] = &["<|end|>", "<channel|>"];

/// What is around the name in a token that opens a wrapper, and in one that closes it.
const OPENING: &[&str] = &["begin_of_", "start_of_", "begin_", "start_", "_begin", "_start"];
const CLOSING: &[&str] = &["/", "end_of_", "end_", "_end"];

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

/// The names that count at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// Those that are always names of reasoning.
    Sure,
    /// Also those that may be names of answers.
    All,
}

/// The reasoning mark at a position, if there is one.
pub(crate) fn at(text: &str, at: usize, names: Names) -> Option<Mark> {
    let rest = text.get(at..)?;
    for (open, close) in PAIRS {
        if begins_with(rest, open) && !is_spoken_of(text, at, open.len()) {
            let inside = at + open.len();
            return Some(Mark::Wrapper { end: closing_mark(text, inside, close) });
        }
        if !SHARED.contains(close) && begins_with(rest, close) && !is_spoken_of(text, at, close.len()) {
            return Some(Mark::Close { end: at + close.len() });
        }
    }
    let tag = Tag::at(text, at).filter(|tag| !is_spoken_of(text, at, tag.length))?;
    let end = at + tag.length;
    match (tag.role, tag.kind()?) {
        (Role::Closes, Kind::Sure) => Some(Mark::Close { end }),
        (Role::Closes, Kind::Doubtful) => None,
        (_, Kind::Doubtful) if names == Names::Sure => None,
        (Role::IsEmpty, _) => Some(Mark::Wrapper { end }),
        // In `List<Analysis>` it is a type.
        (Role::Opens, Kind::Doubtful) if text.get(..at)?.ends_with(char::is_alphanumeric) => None,
        (Role::Opens, Kind::Doubtful) if tag.holds_value(text, end) => None,
        (Role::Opens, _) => Some(Mark::Wrapper { end: tag.closing(text, end) }),
    }
}

/// Where a text goes on after the reasoning at its beginning.
pub(crate) fn skip_leading(text: &str) -> usize {
    let mut start = 0;
    loop {
        let blank = text.get(start..).unwrap_or_default();
        let next = start + (blank.len() - blank.trim_start().len());
        match at(text, next, Names::All) {
            Some(Mark::Wrapper { end } | Mark::Close { end }) => start = end,
            None => return next,
        }
    }
}

fn begins_with(text: &str, mark: &str) -> bool {
    text.as_bytes().get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark.as_bytes()))
}

/// Where the text goes on behind the next such mark.
fn closing_mark(text: &str, from: usize, mark: &str) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let mut found =
        rest.windows(mark.len()).enumerate().filter(|(_, part)| part.eq_ignore_ascii_case(mark.as_bytes()));
    let close = found.find(|(place, _)| !is_spoken_of(text, from + place, mark.len()));
    close.map_or(text.len(), |(place, _)| from + place + mark.len())
}

/// Whether a mark stands alone in quotes or in a code span, where prose speaks of it.
fn is_spoken_of(text: &str, at: usize, length: usize) -> bool {
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

/// A text without a beginning or an end that stands on its own at an underscore.
fn without<'a>(text: &'a str, affix: &str) -> Option<&'a str> {
    match affix.starts_with('_') {
        true => {
            let (name, end) = text.split_at_checked(text.len().checked_sub(affix.len())?)?;
            end.eq_ignore_ascii_case(affix).then_some(name)
        }
        false => text.get(affix.len()..).filter(|_| begins_with(text, affix)),
    }
}

/// What a tag does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Opens,
    Closes,
    IsEmpty,
}

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sure,
    Doubtful,
}

/// `<name>`, `</name attribute="">`, or a token of a model such as `<|begin_of_name|>`.
struct Tag<'a> {
    /// The name without what says whether it opens or closes.
    name: &'a str,
    role: Role,
    length: usize,
}

impl<'a> Tag<'a> {
    fn at(text: &'a str, at: usize) -> Option<Self> {
        let rest = text.get(at..)?.strip_prefix('<')?;
        match rest.strip_prefix('|') {
            Some(token) => Self::token(token),
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
    fn token(rest: &'a str) -> Option<Self> {
        let end = rest.bytes().take(MAX_TAG_BYTES).position(|byte| !is_name(byte) && byte != b'/')?;
        let (whole, behind) = rest.split_at_checked(end)?;
        let found = |affixes: &[&str]| affixes.iter().find_map(|affix| without(whole, affix));
        let (name, role) = match found(CLOSING) {
            Some(name) => (name, Role::Closes),
            None => (found(OPENING).unwrap_or(whole), Role::Opens),
        };
        behind.starts_with("|>").then_some(Self { name, role, length: end + 4 })
    }

    fn kind(&self) -> Option<Kind> {
        let name = self.name.to_ascii_lowercase();
        let last = name.rsplit(['_', '-', ':', '.']).next().unwrap_or_default();
        match NAMES.contains(&name.as_str()) || WORDS.contains(&last) {
            true => Some(Kind::Sure),
            false => DOUBTFUL.iter().any(|ending| last.ends_with(ending)).then_some(Kind::Doubtful),
        }
    }

    /// Whether a value, in a fence or not, is all that stands between this tag and the one that closes it.
    fn holds_value(&self, text: &str, from: usize) -> bool {
        let inside = text.get(from..).unwrap_or_default().trim_start();
        let fenced = inside.strip_prefix("```");
        let value =
            fenced.map_or(inside, |inside| inside.trim_start_matches(char::is_alphanumeric).trim_start());
        let Ok((_, end)) = parse::value_at(text, text.len() - value.len()) else { return false };
        let behind = text.get(end..).unwrap_or_default().trim_start();
        let behind = fenced.map_or(Some(behind), |_| behind.strip_prefix("```")).map(str::trim_start);
        behind.is_some_and(|behind| self.closed_at(text, text.len() - behind.len()).is_some())
    }

    /// Where the text goes on if the tag that closes this one is at a place.
    fn closed_at(&self, text: &str, at: usize) -> Option<usize> {
        let close = Tag::at(text, at)?;
        let closes = close.role == Role::Closes && begins_with(close.name, self.name);
        (closes && !is_spoken_of(text, at, close.length)).then_some(at + close.length)
    }

    /// Where the text goes on behind the tag that closes this one.
    fn closing(&self, text: &str, from: usize) -> usize {
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
