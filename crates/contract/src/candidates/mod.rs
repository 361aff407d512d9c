//! Finding the candidates of a text, in one pass.
//!
//! Candidates are the outermost stretches that open with a bracket, in fences and in prose. Where the strict parser reads
//! one, it ends there. Where it does not, the candidate is damaged and reaches to the bracket that closes it, or to the end
//! of its region. The pass continues after it, so a part of a damaged whole is never a candidate. Regions that are not the
//! answer (`regions`) are skipped whole.

mod fence;
mod scalars;
mod surroundings;

use std::ops::Range;

use serde_json::Value;

use crate::account::{Span, SpanKind};
use crate::lex::Lex;
use crate::limits::MAX_CANDIDATE_STARTS;
use crate::parse::{self, ParseError};
use crate::regions::{MARKS, disowned, reasoning};
use crate::verdict::Source;
use fence::Fence;
pub(crate) use scalars::scalars_apart;
pub(crate) use surroundings::{goes_on, goes_on_behind_marks, is_quiet, member_behind};

/// How many brackets that never close and begin no JSON are passed over. Each is a look through the rest of the text; a
/// text with more of them is taken as damaged from there on.
const MAX_UNCLOSED: usize = 16;

/// A stretch that may hold the value.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) source: Source,
    pub(crate) range: Range<usize>,
    pub(crate) reading: Result<Value, ParseError>,
    /// Whether the surrounding text shows that it is a part of something damaged, or goes on after it.
    pub(crate) is_part: bool,
    /// What is between it and the candidate before, if that is nothing that separates them.
    pub(crate) joint: Option<Joint>,
    /// The region that it is in. A damaged candidate may turn out to reach further than its range, but not beyond.
    pub(crate) region: Range<usize>,
}

/// What makes one of two values: neither ends where it seems to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// Space, so that the second is behind the first.
    Space,
    /// A comma, a colon or a semicolon.
    Mark,
    /// An operator of code, which makes a third of them.
    Operator,
}

/// All that a pass over a text finds.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) items: Vec<Candidate>,
    /// Fences, reasoning and text that is not the model's, in order.
    pub(crate) outside: Vec<Span>,
    /// There are more beginnings than are tried.
    pub(crate) over_limit: bool,
    /// The text after the reasoning, without the tags and tokens around an answer that is all of it.
    pub(crate) rest: Range<usize>,
}

/// Finds the candidates of a text.
pub(crate) fn find(text: &str) -> Candidates {
    let mut pass = Pass {
        lex: Lex { text },
        at: 0,
        fence: None,
        region: 0,
        unclosed: 0,
        rest: 0,
        has_begun: false,
        found: Candidates::default(),
    };
    pass.run();
    let Pass { rest, mut found, .. } = pass;
    found.rest = answer(text, rest);
    if found.over_limit {
        return found;
    }
    match scalar(text, &found.rest) {
        Some(only) => found.items = vec![only],
        None => {
            mark_whole(&mut found);
            limit_regions(text, &mut found);
            surroundings::mark_parts(text, &mut found);
        }
    }
    found
}

/// The whole text after its reasoning as the only candidate.
pub(crate) fn whole(text: &str) -> Candidates {
    let start = reasoning::skip_leading(text);
    let rest = trimmed(text, start..text.len());
    let mut found = Candidates { rest: rest.clone(), ..Candidates::default() };
    if start > 0 {
        found.outside.push(Span { range: 0..start, kind: SpanKind::Reasoning });
    }
    if !rest.is_empty() {
        let reading = parse::whole(text.get(rest.clone()).unwrap_or_default())
            .map_err(|error| ParseError { at: error.at + rest.start, ..error });
        let region = rest.start..text.len();
        found.items.push(Candidate {
            source: Source::Text,
            range: rest,
            reading,
            is_part: false,
            joint: None,
            region,
        });
    }
    found
}

/// A text from a byte on, without a token at its end and the tags of an answer around it.
fn answer(text: &str, start: usize) -> Range<usize> {
    let mut range = trimmed(text, start..text.len());
    let part = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    if let Some(token) = MARKS.answer.end.iter().find(|token| part(&range).ends_with(token.as_str())) {
        range = trimmed(text, range.start..range.end - token.len());
    }
    let inside = |tag: &String| {
        let behind = part(&range).strip_prefix('<')?.strip_prefix(tag.as_str())?.strip_prefix('>')?;
        let inside = behind.strip_suffix('>')?.strip_suffix(tag.as_str())?.strip_suffix("</")?;
        let start = range.end - behind.len();
        Some(start..start + inside.len())
    };
    MARKS.answer.names.iter().find_map(inside).map_or(range.clone(), |inside| trimmed(text, inside))
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let start = range.end - part.trim_start().len();
    start..start + part.trim().len()
}

/// A scalar that is the whole of a stretch. To find other values in it would be to look into a string.
fn scalar(text: &str, range: &Range<usize>) -> Option<Candidate> {
    let part = text.get(range.clone()).filter(|part| !part.starts_with(['{', '[']))?;
    let value = parse::whole(part).ok()?;
    let (range, region) = (range.clone(), range.clone());
    Some(Candidate { source: Source::Text, range, reading: Ok(value), is_part: false, joint: None, region })
}

/// A value with only reasoning and answer tags around it is the whole text.
fn mark_whole(found: &mut Candidates) {
    if let [only] = found.items.as_mut_slice()
        && only.reading.is_ok()
        && only.range == found.rest
    {
        only.source = Source::Text;
    }
}

/// Ends each region before the next stretch that is not the answer.
fn limit_regions(text: &str, found: &mut Candidates) {
    let is_stop = |span: &&Span| matches!(span.kind, SpanKind::Reasoning | SpanKind::Disowned);
    let mut stops = found.outside.iter().filter(is_stop).map(|span| span.range.start).peekable();
    for item in &mut found.items {
        while stops.next_if(|stop| *stop < item.range.end).is_some() {}
        item.region.end = stops.peek().copied().unwrap_or(text.len());
    }
}

struct Pass<'a> {
    lex: Lex<'a>,
    at: usize,
    fence: Option<Fence>,
    /// Where the region begins that the pass is in.
    region: usize,
    unclosed: usize,
    /// Where the text after the reasoning at its beginning begins.
    rest: usize,
    /// Whether words of it were passed.
    has_begun: bool,
    found: Candidates,
}

impl Pass<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.lex.byte(self.at) {
            match byte {
                b'{' | b'[' | b'<' | 0xe2 if self.skip_reasoning() => {}
                b'[' | b'<' | b'~' if self.skip_disowned() => {}
                b'<' if self.lex.starts(self.at, "<![CDATA[") => self.at += "<![CDATA[".len(),
                b'{' | b'[' => self.bracket(),
                b'`' | b'~' => self.fence_mark(byte),
                _ => self.at += 1,
            }
            if self.found.items.len() > MAX_CANDIDATE_STARTS {
                self.found.over_limit = true;
                return;
            }
        }
    }

    /// Skips a reasoning wrapper that opens here. A wrapper that only closes here had opened before the text began, so all
    /// that was found so far was reasoning too.
    fn skip_reasoning(&mut self) -> bool {
        match reasoning::at(self.lex.text, self.at) {
            Some(reasoning::Mark::Wrapper { end }) => self.skip(end, SpanKind::Reasoning),
            Some(reasoning::Mark::Close { end }) => {
                self.found.items.clear();
                self.found.outside = vec![Span { range: 0..end, kind: SpanKind::Reasoning }];
                self.fence = None;
                (self.at, self.rest, self.region, self.has_begun) = (end, end, end, false);
            }
            None => return false,
        }
        true
    }

    /// Skips text that is marked as not being the model's answer.
    fn skip_disowned(&mut self) -> bool {
        let end = disowned::end(self.lex.text, self.at);
        if let Some(end) = end {
            self.skip(end, SpanKind::Disowned);
        }
        end.is_some()
    }

    /// Skips regions that are not part of the answer.
    fn skip(&mut self, end: usize, kind: SpanKind) {
        let before = || self.lex.text.get(self.rest..self.at).unwrap_or_default();
        self.has_begun = self.has_begun || !before().trim().is_empty();
        if !self.has_begun {
            self.rest = end;
        }
        self.found.outside.push(Span { range: self.at..end, kind });
        (self.at, self.region) = (end, end);
    }

    fn bracket(&mut self) {
        let source = match self.fence {
            Some(fence) if fence.holds_values => Source::Fence,
            _ => Source::Prose,
        };
        let start = self.at;
        match parse::value_at(self.lex.text, start) {
            Ok((value, end)) => self.push(source, start..end, Ok(value)),
            Err(error) => match self.damaged_end(start) {
                Some(end) => self.push(source, start..end, Err(error)),
                None => self.at += 1,
            },
        }
    }

    fn push(&mut self, source: Source, range: Range<usize>, reading: Result<Value, ParseError>) {
        self.at = range.end;
        let region = self.region..range.end;
        self.found.items.push(Candidate { source, range, reading, is_part: false, joint: None, region });
    }

    /// Where a damaged candidate ends. `None` where the bracket belongs to prose.
    fn damaged_end(&mut self, start: usize) -> Option<usize> {
        let next = self.lex.blank(start + 1).end;
        if self.lex.starts(next, "```") {
            return None;
        }
        let stop = self.lex.group_end(start);
        if let Ok(end) = stop {
            return Some(end);
        }
        let is_first = self.lex.text.get(self.region..start).is_some_and(|before| before.trim().is_empty());
        let begins_json = match self.lex.byte(next) {
            _ if is_first => true,
            Some(b'{' | b'[' | b'}' | b']' | b'-' | b'0'..=b'9' | b'\\') => true,
            _ => self.lex.opening_quote(next).is_some() || self.lex.key_end(next).is_some(),
        };
        if !begins_json && self.unclosed < MAX_UNCLOSED {
            self.unclosed += 1;
            return None;
        }
        stop.err()
    }
}
