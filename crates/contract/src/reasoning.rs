//! The wrappers in which models think aloud. What stands inside is never an answer.
//!
//! Models name their wrappers as they like, so names are told by their words: `<longcat_think>`, `<|END_THINKING|>`,
//! `<chain_of_thought>`, `<thoughtProcess>`. Some words are also in names of answers, as in `<analysis>`: a tag of such
//! a name is reasoning only before the first value, and only if it holds more than a value. Others say what an answer
//! may well be, as `<plan>` does: such a tag is reasoning only if it begins its line, before the first value, and holds
//! words first. A tag that prose speaks of, alone in quotes or in a code span, is none.

use crate::parse;
use crate::tag::{Role, Tag, begins_with, closing_mark, is_spoken_of, words};

/// Names that are always those of reasoning. Letter case never matters.
const NAMES: &[&str] = &["reasoning", "reflection", "scratchpad", "antthinking", "inner_monologue"];

/// The words that such names end in.
const WORDS: &[&str] = &["think", "thinking", "thought", "thoughts"];

/// How names end that may also be names of answers. So may those that have one of the words above anywhere.
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

/// The last words of names for what comes before an answer, or is one.
const PREPARATIONS: &[&str] =
    &["cot", "plan", "planning", "brainstorm", "brainstorming", "draft", "reflect", "critique", "deliberate"];

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
    match (tag.role, Kind::of(tag.name)?) {
        (Role::Closes, Kind::Sure) => Some(Mark::Close { end }),
        (_, Kind::Sure) => Some(wrapper(&tag, text, end)),
        (Role::Closes, _) => None,
        _ if names == Names::Sure => None,
        // In `List<Analysis>` it is a type.
        (_, Kind::Doubtful) if text.get(..at)?.ends_with(char::is_alphanumeric) => None,
        (_, Kind::Doubtful) if holds_value(&tag, text, end) => None,
        (_, Kind::Preparation) if !begins_line(text, at) || !holds_words(text, end) => None,
        _ => Some(wrapper(&tag, text, end)),
    }
}

/// Whether a name is always one of reasoning.
pub(crate) fn is_sure(name: &str) -> bool {
    Kind::of(name) == Some(Kind::Sure)
}

fn wrapper(tag: &Tag<'_>, text: &str, end: usize) -> Mark {
    match tag.role {
        Role::IsEmpty => Mark::Wrapper { end },
        _ => Mark::Wrapper { end: tag.closing(text, end) },
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

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sure,
    Doubtful,
    Preparation,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        let words = words(name);
        let last = words.last()?.as_str();
        if NAMES.contains(&words.join("_").as_str()) || WORDS.contains(&last) {
            Some(Self::Sure)
        } else if DOUBTFUL.iter().any(|ending| last.ends_with(ending))
            || words.iter().any(|word| word == "reasoning" || WORDS.contains(&word.as_str()))
        {
            Some(Self::Doubtful)
        } else {
            PREPARATIONS.contains(&last).then_some(Self::Preparation)
        }
    }
}

/// Whether a value, in a fence or not, is all that stands between a tag and the one that closes it.
fn holds_value(tag: &Tag<'_>, text: &str, from: usize) -> bool {
    let inside = text.get(from..).unwrap_or_default().trim_start();
    let fenced = inside.strip_prefix("```");
    let value = fenced.map_or(inside, |inside| inside.trim_start_matches(char::is_alphanumeric).trim_start());
    let Ok((_, end)) = parse::value_at(text, text.len() - value.len()) else { return false };
    let behind = text.get(end..).unwrap_or_default().trim_start();
    let behind = fenced.map_or(Some(behind), |_| behind.strip_prefix("```")).map(str::trim_start);
    behind.is_some_and(|behind| tag.closed_at(text, text.len() - behind.len()).is_some())
}

/// Whether words stand first behind a tag, and no value, fence or other tag.
fn holds_words(text: &str, from: usize) -> bool {
    let inside = text.get(from..).unwrap_or_default().trim_start();
    !inside.starts_with(['{', '[', '`', '~', '<', '"'])
}

/// Whether only white space stands before a place on its line. Deep indents are looked at no further.
pub(crate) fn begins_line(text: &str, at: usize) -> bool {
    const MAX_INDENT: usize = 80;
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let stop = before.iter().rev().take(MAX_INDENT).find(|byte| !matches!(byte, b' ' | b'\t'));
    stop.is_none_or(|byte| *byte == b'\n')
}
