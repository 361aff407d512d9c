//! Several values where a list of them is asked.
//!
//! They are joined only when nothing but white space, commas, semicolons, list numbers, bullets, fences and the tags of tool
//! calls is between them. A word between them or after them may say that one replaces another, in any language, so it
//! makes the answer ambiguous.

use std::ops::Range;

use serde_json::Value;

use super::{Conforming, Judge, Judged, Read, report};
use crate::account;
use crate::regions::MARKS;
use crate::regions::tag::Tag;
use crate::repair::{Repair, RepairKind};
use crate::shape::Mended;
use crate::verdict::Verdict;

impl Judge<'_> {
    /// The values of one place as a list, or that they are ambiguous. Nothing if they make no list that conforms.
    pub(super) fn join(
        &self,
        text: &str,
        here: &[&Judged],
        rest: &Range<usize>,
    ) -> Option<Result<Conforming, Box<Verdict>>> {
        if !self.facts().list {
            return None;
        }
        let reads = here.iter().map(|judged| judged.read.as_ref()).collect::<Option<Vec<&Read>>>()?;
        let [first, second, ..] = reads.as_slice() else { return None };
        let list: Value = reads.iter().map(|read| read.value().clone()).collect();
        if reads.iter().any(|read| read.value().is_array()) && !self.passes(&list) {
            return None;
        }
        let Mended { value, repairs } = self.mend(&list)?;
        let detail = format!("{} values were joined into a list", reads.len());
        let joined = Repair::of_whole(RepairKind::JoinedValues, detail);
        let account = reads.iter().map(|read| account::Source {
            range: read.range.clone(),
            spans: read.spans.clone(),
            read: Some(read.raw.clone()),
        });
        let conforming = Conforming {
            value,
            repairs: std::iter::once(joined).chain(repairs).collect(),
            account: account.collect(),
        };
        Some(match is_joined(text, &reads, rest.end) {
            true => Ok(conforming),
            false => Err(Box::new(report::ambiguous(first.value(), second.value()))),
        })
    }
}

/// Whether only separators are between values and after the last.
fn is_joined(text: &str, reads: &[&Read], end: usize) -> bool {
    let starts = reads.iter().skip(1).map(|read| read.range.start).chain([end]);
    reads.iter().zip(starts).all(|(read, next)| text.get(read.range.end..next).is_none_or(is_separator))
}

/// Whether a stretch of text holds nothing that could be a word.
pub(super) fn is_separator(between: &str) -> bool {
    let mut rest = between.trim_start_matches([',', ';', ' ', '\t', '\r', '\n']);
    while !rest.is_empty() {
        let Some(length) = fence(rest).or_else(|| call_tag(rest)).or_else(|| list_mark(rest)) else {
            return false;
        };
        rest = rest.get(length..).unwrap_or_default().trim_start_matches([',', ';', ' ', '\t', '\r', '\n']);
    }
    true
}

/// The length of the mark of a fence and the name after it.
fn fence(text: &str) -> Option<usize> {
    let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark))?;
    let name = text.get(mark.len()..)?;
    let length = name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len());
    let ends_line = name.get(length..)?.starts_with(['\n', '\r']) || length == 0 || name.starts_with("json");
    ends_line.then_some(mark.len() + length)
}

fn call_tag(text: &str) -> Option<usize> {
    let tag = Tag::at(text, 0)?;
    (MARKS.answer.has_name(tag.name) || MARKS.answer.is_call(tag.name)).then_some(tag.length)
}

/// The length of `1.`, `2)`, `-` or another bullet with a space after it.
fn list_mark(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (length, behind) = match digits {
        0 => {
            let bullet = text.chars().next().filter(|mark| matches!(mark, '-' | '*' | '+' | '•'))?;
            (bullet.len_utf8(), text.get(bullet.len_utf8()..)?)
        }
        _ => (digits + 1, text.get(digits..)?.strip_prefix(['.', ')'])?),
    };
    behind.starts_with([' ', '\t', '\n']).then_some(length)
}
