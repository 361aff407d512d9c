//! Finding values in a text, in one pass.
//!
//! The pass looks at each byte once. Where a bracket opens, the strict parser tries; on success the pass goes
//! on behind the value (so fences and tags inside its strings are never seen), on a fault it goes on at the
//! fault. Reasoning wrappers are skipped whole: what stands in one is never an answer. What a damaged value
//! encloses is told from what stands by itself when the pass is over.

use std::ops::Range;

use serde_json::Value;

use crate::enclosure;
use crate::limits::MAX_CANDIDATE_STARTS;
use crate::parse::{self, Fault};
use crate::reasoning;
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
    /// Inside a larger value that is damaged. A part is not the answer.
    Inside,
}

/// All that a pass over a text finds.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) items: Vec<Item>,
    /// There are more beginnings than are tried.
    pub(crate) over_limit: bool,
}

/// Its bracket opens no list.
const CDATA: &str = "<![CDATA[";

/// Finds the values of a text outside its reasoning.
pub(crate) fn scan(text: &str) -> Scan {
    let mut pass =
        Pass { text, bytes: text.as_bytes(), at: 0, fence: None, damaged: false, found: Scan::default() };
    pass.run();
    enclosure::settle(text, &mut pass.found.items);
    pass.found
}

/// An open fence: its mark and how many of them.
#[derive(Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
    /// Its content begins with a value, so the other values in it are of the same rank.
    holds_values: bool,
}

struct Pass<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    fence: Option<Fence>,
    /// Something that began as a value could not be read.
    damaged: bool,
    found: Scan,
}

impl Pass<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'{' | b'[' | b'<' | 0xe2 if self.skip_reasoning() => {}
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
        match reasoning::at(self.text, self.at) {
            Some(reasoning::Mark::Wrapper { end }) => self.at = end,
            Some(reasoning::Mark::Close { end }) => {
                self.found.items.clear();
                self.fence = None;
                self.damaged = false;
                self.at = end;
            }
            None => return false,
        }
        true
    }

    fn bracket(&mut self) {
        let fenced = self.fence.is_some_and(|fence| fence.holds_values);
        self.read(if fenced { Source::Fence } else { Source::Prose });
    }

    fn read(&mut self, source: Source) {
        let start = self.at;
        let reading = match parse::value_at(self.text, start) {
            Ok((value, end)) => {
                self.at = end;
                Ok(Found { value, range: start..end, setting: self.setting(start, end) })
            }
            Err(fault) => {
                self.at = fault.at.max(start + 1);
                self.damaged = true;
                Err(fault)
            }
        };
        self.found.items.push(Item { source, start, reading });
    }

    fn fence_mark(&mut self, mark: u8) {
        let length = self.bytes.iter().skip(self.at).take_while(|byte| **byte == mark).count();
        let after = self.at + length;
        if let Some(fence) = self.fence.filter(|fence| fence.mark == mark && length >= fence.length) {
            self.fence = None;
            self.at += fence.length.max(length);
            return;
        }
        let named = self.bytes.get(after..after + 4).is_some_and(|name| name.eq_ignore_ascii_case(b"json"));
        let begins_line = self.begins_line();
        // Tildes in the middle of a line are tildes. Two backticks and a name are a fence that lost a mark.
        if (mark == b'~' && !begins_line) || length < 3 && !(length == 2 && mark == b'`' && named) {
            self.at = after;
            return;
        }
        self.fence = Some(Fence { mark, length, holds_values: false });
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
        self.fence_content(begins_line);
    }

    /// Whether only white space stands before this on its line. Deep indents are looked at no further.
    fn begins_line(&self) -> bool {
        const MAX_INDENT: usize = 80;
        let before = self.bytes.get(..self.at).unwrap_or_default();
        let stop = before.iter().rev().take(MAX_INDENT).find(|byte| !matches!(byte, b' ' | b'\t'));
        stop.is_none_or(|byte| *byte == b'\n')
    }

    fn fence_content(&mut self, begins_line: bool) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'{' | b'[') if reasoning::at(self.text, self.at).is_none() => {
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
            self.found.items.push(Item { source: Source::Fence, start: self.at, reading: Ok(found) });
            self.at = end;
        }
    }

    fn setting(&self, start: usize, end: usize) -> Setting {
        let before = self.bytes.get(..start).unwrap_or_default();
        let mut before = before.iter().rev().filter(|byte| !byte.is_ascii_whitespace());
        match before.next() {
            Some(b':') if matches!(before.next(), Some(b'"' | b'\'')) => return Setting::Inside,
            Some(b',' | b'[') if self.damaged => return Setting::Inside,
            _ => {}
        }
        match goes_on(self.bytes.get(end..).unwrap_or_default()) {
            true => Setting::Unfinished,
            false => Setting::Free,
        }
    }
}

/// Whether what follows a value goes on as if the value had not ended.
pub(crate) fn goes_on(behind: &[u8]) -> bool {
    let rest = behind.trim_ascii_start();
    let mut after = rest.iter().filter(|byte| !byte.is_ascii_whitespace());
    match after.next() {
        Some(b']') => !rest.starts_with(b"]]>"),
        Some(b'}' | b':') => true,
        Some(b'"') => is_key(rest),
        Some(b',') => matches!(after.next(), Some(b'"' | b'\'' | b'0'..=b'9' | b'-')),
        _ => false,
    }
}

/// Whether a key and its colon stand here: the text of an object goes on.
fn is_key(rest: &[u8]) -> bool {
    /// Keys are short; a longer quotation is prose.
    const MAX_KEY_BYTES: usize = 128;
    let inside = rest.get(1..).unwrap_or_default();
    let close = inside.iter().take(MAX_KEY_BYTES).position(|byte| *byte == b'"');
    let behind = close.and_then(|close| inside.get(close + 1..)).unwrap_or_default();
    behind.trim_ascii_start().first() == Some(&b':')
}
