//! The wrappers in which models think aloud. Their content is never an answer.
//!
//! Models name their wrappers as they like, so names are recognised by their words: `<longcat_think>`, `<|END_THINKING|>`,
//! `<chain_of_thought>`. A tag that prose speaks of, alone in quotes or in a code span, is not a tag. A tag of any other name
//! hides nothing: if it holds a value beside the answer, the answer is ambiguous.

use super::MARKS;
use super::tag::{Role, Tag, begins_with, closing_mark, is_spoken_of, tag_words};

/// What begins at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A complete wrapper; the text continues at `end`. A wrapper that never closes includes the
    /// rest of the text.
    Wrapper { end: usize },
    /// The end of a wrapper whose beginning the text does not have.
    Close { end: usize },
}

/// The reasoning mark at a position, if there is one.
pub(crate) fn at(text: &str, at: usize) -> Option<Mark> {
    let rest = text.get(at..)?;
    for (open, close) in &MARKS.reasoning.pairs {
        if begins_with(rest, open) && !is_spoken_of(text, at, open.len()) {
            let inside = at + open.len();
            return Some(Mark::Wrapper { end: closing_mark(text, inside, close) });
        }
        let is_shared = MARKS.reasoning.shared.contains(close);
        if !is_shared && begins_with(rest, close) && !is_spoken_of(text, at, close.len()) {
            return Some(Mark::Close { end: at + close.len() });
        }
    }
    let tag = Tag::at(text, at).filter(|tag| is_name(tag.name) && !is_spoken_of(text, at, tag.length))?;
    let end = at + tag.length;
    Some(match tag.role {
        Role::Closes => Mark::Close { end },
        Role::IsEmpty => Mark::Wrapper { end },
        Role::Opens => Mark::Wrapper { end: tag.closing(text, end) },
    })
}

/// Whether a name is one of reasoning.
pub(crate) fn is_name(name: &str) -> bool {
    let words = tag_words(name);
    let marks = &MARKS.reasoning;
    marks.names.contains(&words.join("_")) || words.last().is_some_and(|last| marks.words.contains(last))
}

/// Where the text continues after the reasoning at its start.
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
