//! The rules by which an answer becomes a verdict, in the order in which they are tried.
//!
//! 1. **Unchanged.** A candidate that is JSON and conforms. A fragment of something damaged is not a candidate.
//! 2. **Inside a wrapper.** The arguments of a tool call that is written as text. Strict mode ends here.
//! 3. **Repaired.** A candidate whose shape can be changed without loss, or a damaged one by its cheapest conforming
//!    reading. When a reading needed repairs, the rest of its region must leave nothing open: no quote, no bracket.
//! 4. **Joined.** Several items where a list is asked, with nothing but separators between them.
//! 5. **Inside a wrapper, repaired**, and last **a bare word** that the schema lists.
//!
//! In each step the sources that the contract takes (`extract_json`) are tried in order of trust: the whole text, fences,
//! prose. In the most trusted one that has any, exactly one value must pass; two different ones are `ambiguous`, and no word
//! in the text decides between them. With `embedded: confirm`, a value that passes in prose is `unconfirmed`.
//! Whatever is accepted was validated whole, invariants included, after the last change to it.

use std::ops::Range;

use serde_json::Value;

use super::{Conforming, Judge, Judged, Read, report};
use crate::account::{self, Account, Span, SpanKind};
use crate::candidates::{Candidate, Candidates, is_quiet};
use crate::lex::{self, Word};
use crate::nested::{self, Wrappers};
use crate::number;
use crate::parse::{ParseError, ParseErrorKind};
use crate::read::{self, Built, Escaped, Offer, Reading, Search};
use crate::repair::{Repair, RepairKind};
use crate::shape::Mended;
use crate::verdict::{Source, Verdict};

/// The sources of a text, most trusted first.
const SOURCES: [Source; 3] = [Source::Text, Source::Fence, Source::Prose];

/// Repairs that assume something about how the text was meant. Together with them, no shape is changed but letter case and
/// the type of a scalar: each alone is lossless, but both at once would be a guess.
const ASSUMING: &[RepairKind] = &[
    RepairKind::MissingQuote,
    RepairKind::InnerQuote,
    RepairKind::Bracket,
    RepairKind::Truncated,
    RepairKind::NumberForm,
    RepairKind::Literal,
];

/// Repairs that are not assumed together with a missing quote: with one quote gone, they could make nearly anything of a text.
const BESIDE_MISSING_QUOTE: &[RepairKind] =
    &[RepairKind::MissingSeparator, RepairKind::InnerQuote, RepairKind::Bracket, RepairKind::Truncated];

/// How many candidates are looked at for escaped quotes throughout.
const MAX_UNESCAPED: usize = 16;

impl Judge<'_> {
    pub(super) fn choose(&self, text: &str, found: Candidates) -> Verdict {
        if found.over_limit {
            return report::too_many_starts();
        }
        let Candidates { items, outside, rest, .. } = found;
        let judge_unchanged = |mut item: Candidate| {
            let judged = self.unchanged(&mut item);
            (item, judged)
        };
        let judged: Vec<(Candidate, Judged)> = items.into_iter().map(judge_unchanged).collect();
        let verdict = self.first(text, &outside, |source, tally| self.direct(&judged, source, tally));
        let verdict = verdict
            .or_else(|| self.first(text, &outside, |source, tally| self.nested(&judged, source, tally)));
        if let Some(verdict) = verdict {
            return verdict;
        }
        if !self.is_lenient() {
            return self.reject(text, &judged, &[]);
        }
        let repaired = match self.repaired(text, &judged, &rest) {
            Ok(repaired) => repaired,
            Err(ambiguous) => return *ambiguous,
        };
        let verdict = self
            .first(text, &outside, |source, tally| {
                let conforming = repaired.iter().filter(|judged| judged.source == source);
                conforming
                    .filter_map(|judged| judged.conforming.as_ref())
                    .for_each(|found| tally.add(found.clone()));
                if tally.first.is_none() {
                    self.join(text, &repaired, source, tally);
                }
            })
            .or_else(|| {
                self.first(text, &outside, |source, tally| self.nested_repaired(&repaired, source, tally))
            })
            .or_else(|| self.bare_word(text, &judged, rest));
        verdict.unwrap_or_else(|| self.reject(text, &judged, &repaired))
    }

    /// The verdict of the most trusted source that the contract takes and in which something passes.
    fn first(
        &self,
        text: &str,
        outside: &[Span],
        mut add: impl FnMut(Source, &mut Tally),
    ) -> Option<Verdict> {
        let options = self.contract.options();
        SOURCES.into_iter().filter(|source| options.takes(*source)).find_map(|source| {
            let mut tally = Tally::default();
            add(source, &mut tally);
            match (tally.first?, tally.second) {
                (first, Some(second)) => Some(report::ambiguous(&first.value, &second)),
                (Conforming { value, mut repairs, account }, None) => {
                    if self.was_unwrapped(source, &account) {
                        repairs.insert(0, unwrapped());
                    }
                    let account = Account { outside: outside.to_vec(), candidates: account };
                    Some(self.accept(text, value, repairs, source, account))
                }
            }
        })
    }

    /// Whether the wrapper that lowering made was removed from a value that did not come through the channel it was sent for.
    fn was_unwrapped(&self, source: Source, account: &[account::Source]) -> bool {
        let mut read = account.iter().filter_map(|candidate| candidate.read.as_ref());
        self.answer.lift.is_some_and(|lift| {
            (source != Source::Text || !lift.is_through_channel()) && read.any(|read| lift.unwraps(read))
        })
    }

    /// What the strict parser read, lifted. The value moves out of the candidate.
    fn unchanged(&self, item: &mut Candidate) -> Judged {
        let is_part = item.is_part;
        let read = item.reading.as_mut().ok().filter(|_| !is_part).and_then(|value| {
            let (raw, lifted) = match self.answer.lift {
                Some(lift) => (value.clone(), Some(lift.lift(value.clone(), self.meter).ok()?)),
                None => (value.take(), None),
            };
            Some(Read { raw, lifted, range: item.range.clone(), spans: None })
        });
        Judged { source: item.source, read, conforming: None, guessed: false }
    }

    fn direct(&self, judged: &[(Candidate, Judged)], source: Source, tally: &mut Tally) {
        for read in reads(judged.iter().map(|(_, judged)| judged), source) {
            if self.passes(read.value()) {
                tally.add(Conforming::of(read, read.value().clone(), Vec::new()));
            }
        }
    }

    /// Strict mode takes a value out of a surrounding object in two cases only: the arguments of a tool call, and, in prose, an
    /// echoed schema that has the answer where its members would be. Anything else would be a repair of shape.
    fn nested(&self, judged: &[(Candidate, Judged)], source: Source, tally: &mut Tally) {
        if !self.contract.options().extracts() {
            return;
        }
        let wrappers = match source {
            _ if self.is_lenient() => Wrappers::Any,
            Source::Prose => Wrappers::ToolCallsAndSchemas,
            _ => Wrappers::ToolCalls,
        };
        let mut passes = |value: &Value| self.stands_for(value).is_some_and(|value| self.passes(&value));
        for read in reads(judged.iter().map(|(_, judged)| judged), source) {
            if self.is_echo(read.value()) {
                continue;
            }
            for inner in nested::inside(self.facts(), read.value(), wrappers, &mut passes) {
                let Some(inner) = self.stands_for(inner) else { continue };
                let repairs = self.is_lenient().then(unwrapped).into_iter().collect();
                tally.add(Conforming::of(read, inner.into_owned(), repairs));
            }
        }
    }

    /// Reads every candidate, in order; what one reading takes in is not read again. The error is that one is ambiguous.
    fn repaired(
        &self,
        text: &str,
        judged: &[(Candidate, Judged)],
        rest: &Range<usize>,
    ) -> Result<Vec<Judged>, Box<Verdict>> {
        let alone = judged.len() == 1;
        let mut search = Search::new(text);
        let mut behind = 0;
        let mut unescaped = 0;
        let mut repaired = Vec::new();
        for (item, unchanged) in judged {
            if item.range.start < behind || item.is_part {
                continue;
            }
            let next = match (&item.reading, &unchanged.read) {
                (Ok(_), Some(read)) => self.reshaped(read, item.source, alone),
                // It was read and has no meaning; any other reading would be a guess.
                (Ok(_), None) | (Err(ParseError { kind: ParseErrorKind::TooDeep, .. }), _) => continue,
                (Err(_), _) => match self.read_escaped(text, item, &mut unescaped) {
                    Some(judged) => judged,
                    None => self.read_damaged(&mut search, text, item, alone, rest)?,
                },
            };
            behind = next.read.as_ref().map_or(item.range.end, |read| read.range.end);
            repaired.push(next);
        }
        Ok(repaired)
    }

    fn reshaped(&self, read: &Read, source: Source, alone: bool) -> Judged {
        let mended = self.mend_single(read.value(), alone);
        let conforming = mended.map(|Mended { value, repairs }| Conforming::of(read, value, repairs));
        let (raw, lifted, range) = (read.raw.clone(), read.lifted.clone(), read.range.clone());
        Judged { source, read: Some(Read { raw, lifted, range, spans: None }), conforming, guessed: false }
    }

    /// Where a list is asked and there are several values, each is an item, not a list of one.
    fn mend_single(&self, value: &Value, alone: bool) -> Option<Mended> {
        if !alone && self.facts().list && !value.is_array() && !self.facts().attempts(value) {
            return None;
        }
        let mended = self.mend(value)?;
        let wraps = |repair: &Repair| repair.kind == RepairKind::WrappedInList && repair.path.ends_with(']');
        (alone || !mended.repairs.iter().any(wraps)).then_some(mended)
    }

    fn read_damaged(
        &self,
        search: &mut Search<'_>,
        text: &str,
        item: &Candidate,
        alone: bool,
        rest: &Range<usize>,
    ) -> Result<Judged, Box<Verdict>> {
        let Candidate { range, region, .. } = item;
        let is_whole = |end: usize| range.start == rest.start && end >= rest.end;
        let part = |range: Range<usize>| text.get(range).unwrap_or_default();
        let mut conform = |built: &Built, end: usize| -> Option<Offer> {
            // In prose, words in brackets are a remark or a template.
            let needs_all =
                item.source == Source::Prose && built.has_bare_value || !self.contract.options().extracts();
            if needs_all && !is_whole(end) {
                return None;
            }
            if built.unclosed > 1 || built.has(&[RepairKind::MissingQuote]) && built.has(BESIDE_MISSING_QUOTE)
            {
                return None;
            }
            let takes = |value: &Value| self.mend(self.stands_for(value)?.as_ref());
            if built.reworded.as_ref().and_then(takes).is_some() {
                return None;
            }
            let Mended { value, repairs } =
                self.mend_single(self.stands_for(&built.value)?.as_ref(), alone)?;
            let assumes = built.has_bare_value || built.has(ASSUMING);
            if assumes && !repairs.iter().all(|repair| is_plain(repair.kind)) {
                return None;
            }
            // As a string, a number or a literal would be what JSON writes, and not what was written.
            let respelled = built.has(&[RepairKind::NumberForm, RepairKind::Literal]);
            if respelled && repairs.iter().any(|repair| repair.kind == RepairKind::Coerced) {
                return None;
            }
            // If brackets were missing, a property that the schema does not name may belong
            // elsewhere.
            let guessed = built.has(&[RepairKind::Bracket, RepairKind::Truncated]);
            let sure = !guessed || self.contract.schema().names_all_members(&value);
            let is_alone = || {
                is_quiet(part(region.start..range.start))
                    && is_quiet(behind(part(end..region.end)))
                    && !part(end..range.end.max(end)).contains(['{', '['])
            };
            (sure && is_alone()).then_some(Offer { value, repairs })
        };
        let reading = search.read(range.start, region.end, &mut conform);
        let judged = |source, read, conforming, guessed| Judged { source, read, conforming, guessed };
        Ok(match reading {
            Reading::Conforming { value, read, repairs, spans, range } => {
                let source = if is_whole(range.end) { Source::Text } else { item.source };
                let read = Read { raw: read, lifted: None, range, spans: Some(spans) };
                let conforming = Conforming::of(&read, value, repairs);
                judged(source, Some(read), Some(conforming), false)
            }
            Reading::Readable { built, range } => {
                let guessed = built.has_bare_value || built.has(ASSUMING);
                let lifted = self.stands_for(&built.value).map(std::borrow::Cow::into_owned);
                let read = lifted.map(|lifted| Read {
                    raw: built.value,
                    lifted: self.answer.lift.map(|_| lifted),
                    range,
                    spans: Some(built.spans),
                });
                judged(item.source, read, None, guessed)
            }
            Reading::Ambiguous { first, second } => return Err(Box::new(report::ambiguous(&first, &second))),
            Reading::Nothing => judged(item.source, None, None, false),
        })
    }

    /// A candidate whose quotes are all escaped. `tried` counts the looks: each takes the rest of the region.
    fn read_escaped(&self, text: &str, item: &Candidate, tried: &mut usize) -> Option<Judged> {
        let Candidate { range, region, .. } = item;
        if *tried == MAX_UNESCAPED {
            return None;
        }
        *tried += 1;
        let Escaped { value: raw, spans, range } = read::escaped(text, range.start..region.end)?;
        let (before, after) = (text.get(region.start..range.start)?, text.get(range.end..region.end)?);
        let Mended { value, repairs } = self.mend(self.stands_for(&raw)?.as_ref())?;
        let repair = Repair::of_whole(RepairKind::Escape, "the whole value was escaped twice");
        let read = Read { raw, lifted: None, range, spans: Some(spans) };
        let repairs = std::iter::once(repair).chain(repairs).collect();
        let is_alone = is_quiet(before) && is_quiet(behind(after)) && !after.contains(['{', '[']);
        let conforming = is_alone.then(|| Conforming::of(&read, value, repairs));
        Some(Judged { source: item.source, read: Some(read), conforming, guessed: true })
    }

    fn nested_repaired(&self, repaired: &[Judged], source: Source, tally: &mut Tally) {
        let whole = repaired.iter().filter(|judged| !judged.guessed);
        for read in reads(whole, source).filter(|read| !self.is_echo(read.value())) {
            let mend = |value: &Value| self.mend(self.stands_for(value)?.as_ref());
            let mut passes = |value: &Value| mend(value).is_some();
            let inside = nested::inside(self.facts(), read.value(), Wrappers::Any, &mut passes);
            let mut inner: Vec<Value> = inside.into_iter().cloned().collect();
            inner.extend(nested::written_arguments(read.value()));
            for Mended { value, repairs } in inner.iter().filter_map(mend) {
                let repairs = std::iter::once(unwrapped()).chain(repairs).collect();
                tally.add(Conforming::of(read, value, repairs));
            }
        }
    }

    /// A text without any bracket that is, as a whole but for its reasoning, one of the values that the schema lists, or a
    /// literal of another language.
    fn bare_word(&self, text: &str, judged: &[(Candidate, Judged)], rest: Range<usize>) -> Option<Verdict> {
        if judged.iter().any(|(item, _)| item.source != Source::Text) {
            return None;
        }
        let word = text.get(rest.clone())?;
        let (kind, raw) = match lex::classify(word)? {
            Word::OtherTrue => (RepairKind::Literal, Value::Bool(true)),
            Word::OtherFalse => (RepairKind::Literal, Value::Bool(false)),
            Word::OtherNull => (RepairKind::Literal, Value::Null),
            _ if self.facts().is_listed() && judged.is_empty() => (RepairKind::Unquoted, Value::from(word)),
            _ => return None,
        };
        let Mended { value, repairs } = self.mend(&raw)?;
        // As a string, a literal would be what JSON writes, and not what was written.
        if kind == RepairKind::Literal && value.is_string() {
            return None;
        }
        let span = match kind {
            RepairKind::Literal => SpanKind::Repair(kind),
            _ => SpanKind::Value,
        };
        let spans = Some(vec![Span { range: rest.clone(), kind: span }]);
        let read = Read { raw, lifted: None, range: rest, spans };
        let repairs = std::iter::once(Repair::of_whole(kind, kind.description())).chain(repairs).collect();
        let Conforming { value, repairs, account } = Conforming::of(&read, value, repairs);
        let account = Account { outside: Vec::new(), candidates: account };
        Some(self.accept(text, value, repairs, Source::Text, account))
    }
}

/// The text after a candidate up to the fence that closes its region.
fn behind(text: &str) -> &str {
    text.split_once("```").map_or(text, |(before, _)| before)
}

/// Whether a change of shape keeps the text of a scalar.
fn is_plain(kind: RepairKind) -> bool {
    matches!(kind, RepairKind::EnumCase | RepairKind::Coerced | RepairKind::DroppedNull)
}

fn reads<'a>(judged: impl Iterator<Item = &'a Judged>, source: Source) -> impl Iterator<Item = &'a Read> {
    judged.filter(move |judged| judged.source == source).filter_map(|judged| judged.read.as_ref())
}

fn unwrapped() -> Repair {
    Repair::of_whole(RepairKind::Unwrapped, "value was unwrapped from another value")
}

/// The different values that pass in one source.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) first: Option<Conforming>,
    second: Option<Value>,
}

impl Tally {
    pub(super) fn add(&mut self, found: Conforming) {
        match &self.first {
            None => self.first = Some(found),
            Some(first) if self.second.is_none() && !number::same(&first.value, &found.value) => {
                self.second = Some(found.value);
            }
            Some(_) => {}
        }
    }

    /// Two values that both could be meant.
    pub(super) fn ambiguous(&mut self, first: Conforming, second: Value) {
        self.first = Some(first);
        self.second = Some(second);
    }
}
