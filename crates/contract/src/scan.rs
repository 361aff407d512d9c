//! Finding values in a text, in one pass.
//!
//! The pass looks at each byte once. Where a bracket opens, the strict parser tries; on success the pass goes
//! on behind the value (so fences and tags inside its strings are never seen), on a fault it goes on at the
//! fault. Skipped whole are reasoning wrappers, what the text says is not the model's, and brackets of markdown and of
//! code. A value that code goes on to change is marked as a part of that code.
//!
//! When the pass is over, what a damaged value encloses is told from what stands by itself, and a scalar that is all there
//! is behind the reasoning is taken for the only value.

use std::ops::Range;

use serde_json::Value;

use crate::disowned;
use crate::enclosure;
use crate::expression;
use crate::limits::MAX_CANDIDATE_STARTS;
use crate::markup;
use crate::parse::{self, Fault};
use crate::reasoning::{self, Names};
use crate::surround;
use crate::verdict::Source;

/// A place where a value stands or seems to begin.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) source: Source,
    pub(crate) start: usize,
    pub(crate) reading: Result<Found, Fault>,
}

/// A value as it stands in the text.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) value: Value,
    pub(crate) range: Range<usize>,
    /// How it stands to the text around it.
    pub(crate) setting: Setting,
}

/// How a value stands to the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// By itself.
    Free,
    /// The text goes on as if the value had not ended: perhaps a bracket too many closed it.
    Unfinished,
    /// Inside a larger value that is damaged, or in code that changes it. A part is not the answer.
    Inside,
}

/// All that a pass over a text finds.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) items: Vec<Item>,
    /// There are more beginnings than are tried.
    pub(crate) over_limit: bool,
    /// The text behind the reasoning, without what is around an answer that is all of it.
    pub(crate) rest: Range<usize>,
}

/// Its bracket opens no list.
const CDATA: &str = "<![CDATA[";

/// The tags that models put around a whole answer.
const ANSWER_TAGS: &[&str] = &["answer", "final_answer", "output", "response", "result", "json"];

/// The tokens with which models end.
const END_TOKENS: &[&str] = &[
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|return|>",
    "<end_of_turn>",
    "</s>",
];

/// Finds the values of a text outside its reasoning.
pub(crate) fn scan(text: &str) -> Scan {
    let bytes = text.as_bytes();
    let (names, found) = (Names::All, Scan::default());
    let mut pass =
        Pass { text, bytes, at: 0, fence: None, damaged: false, names, rest: 0, rest_begun: false, found };
    pass.run();
    let Pass { rest, mut found, .. } = pass;
    found.rest = bare(text, rest);
    match scalar(text, &found.rest).filter(|_| !found.over_limit) {
        Some(only) => found.items = vec![only],
        None => enclosure::settle(text, &mut found.items),
    }
    found
}

/// A text from a place on, without a token at its end and the tags of an answer around it.
fn bare(text: &str, start: usize) -> Range<usize> {
    let mut range = trimmed(text, start..text.len());
    let part = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    if let Some(token) = END_TOKENS.iter().find(|token| part(&range).ends_with(**token)) {
        range = trimmed(text, range.start..range.end - token.len());
    }
    let inside = |tag: &&str| {
        let behind = part(&range).strip_prefix('<')?.strip_prefix(*tag)?.strip_prefix('>')?;
        let inside = behind.strip_suffix('>')?.strip_suffix(*tag)?.strip_suffix("</")?;
        let start = range.end - behind.len();
        Some(start..start + inside.len())
    };
    ANSWER_TAGS.iter().find_map(inside).map_or(range.clone(), |inside| trimmed(text, inside))
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let start = range.end - part.trim_start().len();
    start..start + part.trim().len()
}

/// A scalar that is the whole of a stretch. To find other values in it would be to look into a string.
fn scalar(text: &str, range: &Range<usize>) -> Option<Item> {
    let part = text.get(range.clone()).filter(|part| !part.starts_with(['{', '[']))?;
    let value = parse::whole(part).ok()?;
    let found = Found { value, range: range.clone(), setting: Setting::Free };
    Some(Item { source: Source::Text, start: range.start, reading: Ok(found) })
}

/// An open fence: its mark and how many of them.
#[derive(Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
    /// Its content begins with a value, so the other values in it are of the same rank.
    holds_values: bool,
    /// It shows lines that are taken away and lines that are put in their place.
    is_diff: bool,
}

struct Pass<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    fence: Option<Fence>,
    /// Something that began as a value could not be read.
    damaged: bool,
    /// The names of reasoning that count: once there is a value, only the sure ones.
    names: Names,
    /// Where the text behind the reasoning begins, and whether words of it were passed.
    rest: usize,
    rest_begun: bool,
    found: Scan,
}

impl Pass<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'{' | b'[' | b'<' | 0xe2 if self.skip_reasoning() => {}
                b'[' | b'<' | b'~' if self.skip_disowned() => {}
                b'[' if self.skip_markup() => {}
                b'\n' if self.removes_line() => self.skip_line(),
                b'<' if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(CDATA)) => {
                    self.at += CDATA.len()
                }
                b'{' | b'[' => self.bracket(),
                b'`' | b'~' => self.fence_mark(*byte),
                _ => self.at += 1,
            }
            if self.found.items.len() > MAX_CANDIDATE_STARTS {
                self.found.items.truncate(MAX_CANDIDATE_STARTS);
                self.found.over_limit = true;
                return;
            }
        }
    }

    /// Skips a reasoning wrapper that opens here. A wrapper that only closes here had opened before the text
    /// began, so all that was found so far was reasoning too.
    fn skip_reasoning(&mut self) -> bool {
        match reasoning::at(self.text, self.at, self.names) {
            Some(reasoning::Mark::Wrapper { end }) => self.skip(self.at..end),
            Some(reasoning::Mark::Close { end }) => {
                self.found.items.clear();
                self.names = Names::All;
                self.fence = None;
                self.damaged = false;
                self.rest_begun = false;
                self.rest = end;
                self.at = end;
            }
            None => return false,
        }
        true
    }

    /// Skips what is said not to be the model's.
    fn skip_disowned(&mut self) -> bool {
        let end = disowned::end(self.text, self.at);
        if let Some(end) = end {
            self.skip(self.at..end);
        }
        end.is_some()
    }

    /// Skips brackets that hold no list. They are words of the text.
    fn skip_markup(&mut self) -> bool {
        let end = markup::end(self.text, self.at);
        self.at = end.unwrap_or(self.at);
        end.is_some()
    }

    /// Whether the next line is one that a diff takes away.
    fn removes_line(&self) -> bool {
        self.fence.is_some_and(|fence| fence.is_diff) && self.bytes.get(self.at + 1) == Some(&b'-')
    }

    fn skip_line(&mut self) {
        let line = self.bytes.get(self.at + 1..).unwrap_or_default();
        let length = line.iter().position(|byte| *byte == b'\n').unwrap_or(line.len());
        self.at += 1 + length;
    }

    /// Skips what is no part of the answer.
    fn skip(&mut self, range: Range<usize>) {
        let before = || self.text.get(self.rest..range.start).unwrap_or_default();
        self.rest_begun = self.rest_begun || before().contains(|letter: char| !letter.is_whitespace());
        if !self.rest_begun {
            self.rest = range.end;
        }
        self.at = range.end;
    }

    fn bracket(&mut self) {
        let fenced = self.fence.is_some_and(|fence| fence.holds_values);
        self.read(if fenced { Source::Fence } else { Source::Prose });
    }

    fn read(&mut self, source: Source) {
        if self.read_boxed(source) {
            return;
        }
        let start = self.at;
        let reading = match parse::value_at(self.text, start) {
            Ok((value, end)) => {
                let behind = expression::end(self.text, start, end);
                self.at = behind.unwrap_or(end);
                let setting = match behind {
                    Some(_) => Setting::Inside,
                    None => surround::setting(self.text, start..end, self.damaged),
                };
                Ok(Found { value, range: start..end, setting })
            }
            Err(fault) => {
                self.at = fault.at.max(start + 1);
                self.damaged = self.damaged || !surround::is_aside(self.text, start);
                Err(fault)
            }
        };
        self.push(Item { source, start, reading });
    }

    fn push(&mut self, item: Item) {
        if item.reading.is_ok() {
            self.names = Names::Sure;
        }
        self.found.items.push(item);
    }

    /// Reads a value that stands in a box, as in `\boxed{{"a": 1}}`. The brace of the box is no part of it.
    fn read_boxed(&mut self, source: Source) -> bool {
        let Some((begin, start)) = surround::boxed(self.text, self.at) else { return false };
        let Ok((value, end)) = parse::value_at(self.text, start) else { return false };
        let behind = self.text.get(end..).unwrap_or_default().trim_start();
        let Some(behind) = behind.strip_prefix('}') else { return false };
        self.at = self.text.len() - behind.len();
        let setting = surround::setting(self.text, begin..self.at, self.damaged);
        self.push(Item { source, start, reading: Ok(Found { value, range: start..end, setting }) });
        true
    }

    fn fence_mark(&mut self, mark: u8) {
        let length = self.bytes.iter().skip(self.at).take_while(|byte| **byte == mark).count();
        let (fence_start, after) = (self.at, self.at + length);
        if self.fence.is_some_and(|fence| fence.mark == mark && length >= fence.length) {
            self.fence = None;
            self.at = after;
            return;
        }
        let named = self.bytes.get(after..after + 4).is_some_and(|name| name.eq_ignore_ascii_case(b"json"));
        let begins_line = reasoning::begins_line(self.text, self.at);
        // Tildes in the middle of a line are tildes. Two backticks and a name are a fence that lost a mark.
        if (mark == b'~' && !begins_line) || length < 3 && !(length == 2 && mark == b'`' && named) {
            self.at = after;
            return;
        }
        let name_length = self
            .bytes
            .iter()
            .skip(after)
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.'))
            .count();
        // Without a line break behind it, a word is content, not a name: "```42```".
        let name_length = match self.bytes.get(after + name_length) {
            Some(b'`' | b'~') | None => 0,
            _ => name_length,
        };
        self.at = after + name_length;
        let name = self.text.get(after..self.at).unwrap_or_default();
        let is_diff = ["diff", "patch"].iter().any(|known| name.eq_ignore_ascii_case(known));
        self.fence = Some(Fence { mark, length, holds_values: false, is_diff });
        if self.removes_line() {
            return;
        }
        self.skip_blank();
        match reasoning::is_sure(name) && !matches!(self.bytes.get(self.at), Some(b'{' | b'[')) {
            true => self.skip_fence(fence_start, mark, length),
            false => self.fence_content(begins_line),
        }
    }

    fn skip_blank(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// Skips what is left of a fence in which a model thinks aloud.
    fn skip_fence(&mut self, start: usize, mark: u8, length: usize) {
        let inside = self.bytes.get(self.at..).unwrap_or_default();
        let close = inside.windows(length).position(|part| part.iter().all(|byte| *byte == mark));
        let end = close.map_or(self.bytes.len(), |close| self.at + close + length);
        self.fence = None;
        self.skip(start..end);
    }

    fn fence_content(&mut self, begins_line: bool) {
        match self.bytes.get(self.at) {
            Some(b'{' | b'[')
                if reasoning::at(self.text, self.at, Names::Sure).is_none()
                    && disowned::end(self.text, self.at).is_none() =>
            {
                self.fence = self.fence.map(|fence| Fence { holds_values: true, ..fence });
                self.read(Source::Fence);
            }
            Some(b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') if begins_line => self.scalar_in_fence(),
            _ => {}
        }
    }

    /// A scalar counts only when it is all that a fence on lines of its own holds.
    fn scalar_in_fence(&mut self) {
        let Ok((value, end)) = parse::value_at(self.text, self.at) else { return };
        let rest = self.text.get(end..).unwrap_or_default().trim_start();
        if rest.is_empty() || rest.starts_with("```") || rest.starts_with("~~~") {
            let found = Found { value, range: self.at..end, setting: Setting::Free };
            self.push(Item { source: Source::Fence, start: self.at, reading: Ok(found) });
            self.at = end;
        }
    }
}
