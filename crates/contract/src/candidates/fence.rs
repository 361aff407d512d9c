//! Fenced blocks: where they begin and end.

use super::Pass;
use crate::account::{Span, SpanKind};
use crate::parse;
use crate::regions::{MARKS, disowned, reasoning};
use crate::verdict::Source;

/// An open fence: its mark and how many of them.
#[derive(Clone, Copy)]
pub(super) struct Fence {
    mark: u8,
    length: usize,
    /// Its content begins with a value, so the other values in it are of the same rank.
    pub(super) holds_values: bool,
}

impl Pass<'_> {
    pub(super) fn fence_mark(&mut self, mark: u8) {
        let bytes = self.lex.text.as_bytes();
        let length = bytes.iter().skip(self.at).take_while(|byte| **byte == mark).count();
        let (start, after) = (self.at, self.at + length);
        if self.fence.is_some_and(|fence| fence.mark == mark && length >= fence.length) {
            self.fence = None;
            self.fenced(start, after);
            return;
        }
        let named = bytes.get(after..after + 4).is_some_and(|name| name.eq_ignore_ascii_case(b"json"));
        let begins_line = self.begins_line();
        // Tildes in the middle of a line are tildes. Two backticks and a name are a fence that lost a mark.
        if (mark == b'~' && !begins_line) || length < 3 && !(length == 2 && mark == b'`' && named) {
            self.at = after;
            return;
        }
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.');
        let name_length = bytes.iter().skip(after).take_while(is_name).count();
        // Directly before another mark a word is content, not a name: "```42```".
        let name_length = match bytes.get(after + name_length) {
            Some(b'`' | b'~') | None => 0,
            _ => name_length,
        };
        let inside = after + name_length;
        let name = self.lex.text.get(after..inside).unwrap_or_default();
        if reasoning::is_name(name) {
            return self.skip_fence(mark, length, inside, SpanKind::Reasoning);
        }
        if disowned::is_result(name) {
            return self.skip_fence(mark, length, inside, SpanKind::Disowned);
        }
        self.fence = Some(Fence { mark, length, holds_values: false });
        let is_answer = MARKS.answer.is_fence(name);
        self.fenced(start, inside);
        if is_answer {
            self.content(begins_line);
        }
    }

    /// Whether only white space is before this place on its line.
    fn begins_line(&self) -> bool {
        let before = self.lex.text.get(..self.at).unwrap_or_default().trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    }

    /// Skips the marks of a fence. The text after them is another region.
    fn fenced(&mut self, start: usize, end: usize) {
        self.found.outside.push(Span { range: start..end, kind: SpanKind::Fence });
        (self.at, self.region) = (end, end);
    }

    /// Skips a fence whose name says that the answer is not in it.
    fn skip_fence(&mut self, mark: u8, length: usize, inside: usize, kind: SpanKind) {
        let rest = self.lex.text.as_bytes().get(inside..).unwrap_or_default();
        let close = rest.windows(length).position(|part| part.iter().all(|byte| *byte == mark));
        let end = close.map_or(self.lex.text.len(), |close| inside + close + length);
        self.skip(end, kind);
    }

    fn content(&mut self, begins_line: bool) {
        let rest = self.lex.text.get(self.at..).unwrap_or_default();
        let start = self.at + (rest.len() - rest.trim_start().len());
        match self.lex.byte(start) {
            Some(b'{' | b'[') => self.fence = self.fence.map(|fence| Fence { holds_values: true, ..fence }),
            Some(b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') if begins_line => {
                self.scalar_in_fence(start)
            }
            _ => {}
        }
    }

    /// A scalar counts only if it is the whole content of a fence that is on its own lines.
    fn scalar_in_fence(&mut self, start: usize) {
        let Ok((value, end)) = parse::value_at(self.lex.text, start) else { return };
        let rest = self.lex.text.get(end..).unwrap_or_default().trim_start();
        if rest.is_empty() || rest.starts_with("```") || rest.starts_with("~~~") {
            self.push(Source::Fence, start..end, Ok(value));
        }
    }
}
