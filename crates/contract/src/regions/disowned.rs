//! Text that is marked as not being the model's answer: results of tools, turns of others,
//! comments, and struck-out text.
//!
//! Only unambiguous marks count. `<s>` is also how some models begin, and `<result>` is how they
//! answer. A mark that prose mentions, alone in quotes or in a code span, is not a mark. An
//! unclosed mark that could be something else hides nothing; any other unclosed mark hides the rest
//! of the text.

use super::MARKS;
use super::tag::{Role, Tag, begins_with, closing_mark, is_spoken_of, tag_words};

/// Where the text continues after what begins at a place and is not the model's answer.
pub(crate) fn end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if rest.starts_with('~') {
        return struck_out(rest).map(|length| at + length);
    }
    let marks = &MARKS.disowned;
    if let Some((open, close)) = marks.pairs.iter().find(|(open, _)| rest.starts_with(open.as_str())) {
        let inside = at + open.len();
        return (!is_spoken_of(text, at, open.len())).then(|| closing_mark(text, inside, close));
    }
    if let Some(inside) = others_turn(text, at) {
        return Some(turn_end(text, inside));
    }
    let tag = Tag::at(text, at).filter(|tag| tag.role == Role::Opens)?;
    if is_spoken_of(text, at, tag.length) || text.get(..at)?.ends_with(char::is_alphanumeric) {
        return None;
    }
    if marks.struck_out.iter().any(|name| name.eq_ignore_ascii_case(tag.name)) {
        return closing_before_another(&tag, text, at + tag.length);
    }
    is_result(tag.name).then(|| tag.closing(text, at + tag.length))
}

/// Whether a name says that a tool returned what is inside.
pub(crate) fn is_result(name: &str) -> bool {
    let (marks, words) = (&MARKS.disowned, tag_words(name));
    words.last().is_some_and(|last| marks.results.contains(last))
        && words.iter().any(|word| marks.tools.contains(word))
}

/// The length of a stretch between two pairs of tildes in one paragraph. Three are a fence.
fn struck_out(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix("~~")?;
    if inside.starts_with(|first: char| first.is_whitespace() || first == '~') {
        return None;
    }
    let stop = inside.as_bytes().windows(2).position(|pair| pair == b"~~" || pair == b"\n\n")?;
    let (words, behind) = inside.split_at_checked(stop)?;
    let closes =
        behind.starts_with("~~") && !behind.starts_with("~~~") && !words.ends_with(char::is_whitespace);
    closes.then_some(stop + 4)
}

/// Where the text continues after the tag that closes another, unless one like it opens before: to look no further
/// keeps many of them linear.
fn closing_before_another(tag: &Tag<'_>, text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += text.get(at..)?.find('<')?;
        if let Some(end) = tag.closed_at(text, at) {
            return Some(end);
        }
        if Tag::at(text, at).is_some_and(|other| other.name.eq_ignore_ascii_case(tag.name)) {
            return None;
        }
        at += 1;
    }
}

/// Where the turn of another speaker continues, if one begins here.
fn others_turn(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if let Some(mark) = MARKS.turns.begin.iter().find(|mark| begins_with(rest, mark)) {
        let behind = rest.get(mark.len()..)?.trim_start();
        let role = behind.split(|letter: char| !letter.is_ascii_alphabetic()).next()?;
        let is_other = MARKS.turns.others.iter().any(|other| other.eq_ignore_ascii_case(role));
        return (is_other && !is_spoken_of(text, at, mark.len())).then_some(at + mark.len());
    }
    let role = role_token(text, at).filter(|tag| !tag.name.eq_ignore_ascii_case("assistant"))?;
    (!is_spoken_of(text, at, role.length)).then_some(at + role.length)
}

fn role_token(text: &str, at: usize) -> Option<Tag<'_>> {
    let is_token = text.get(at + 1..)?.starts_with(['|', '\u{ff5c}']);
    let is_role = |tag: &Tag<'_>| MARKS.turns.tokens.iter().any(|role| role.eq_ignore_ascii_case(tag.name));
    Tag::at(text, at).filter(|tag| is_token && tag.role == Role::Opens && is_role(tag))
}

/// Where a turn ends: after the token that ends it, or where another begins.
fn turn_end(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('<')) {
        at += found;
        let rest = text.get(at..).unwrap_or_default();
        if let Some(mark) = MARKS.turns.end.iter().find(|mark| begins_with(rest, mark)) {
            return at + mark.len();
        }
        if MARKS.turns.begin.iter().any(|mark| begins_with(rest, mark)) || role_token(text, at).is_some() {
            return at;
        }
        at += 1;
    }
    text.len()
}
