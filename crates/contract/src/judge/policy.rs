//! The rules by which an answer becomes a verdict.
//!
//! 1. **All candidates are judged**: the whole text, fences, prose; clean, damaged, cut, not conforming. One *contends* if it
//!    could be meant as the answer: it is of the contract's type and has a key of it, or is a wrapper around such a value, or
//!    an item of the list that is asked. If none does, all of them contend.
//! 2. **The most trusted place that the contract takes (`extract_json`) and where one contends decides.** If none there
//!    conforms, its errors are reported, and nothing of a less trusted place is taken.
//! 3. **Nothing may compete with the value.** If another candidate contends, anywhere and in any state, and does not say the
//!    same value, the answer is `ambiguous`. No word in the text decides between them.
//!
//! A candidate conforms unchanged, or as the arguments of a tool call that is written as text. In lenient mode it may
//! also be repaired: in its shape without loss, or by its cheapest conforming reading, when the rest of its region leaves
//! nothing open; and several items are joined into a list when nothing but separators is between them. In strict mode repairs
//! only show whether another candidate says the same. With `embedded: confirm`, a value that passes in prose is `unconfirmed`.
//! Whatever is accepted was validated whole, invariants included, after the last change to it.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use super::{Conforming, Judge, Judged, Read, report};
use crate::account::{self, Account, Span, SpanKind};
use crate::candidates::{Candidate, Candidates, Joint, member_behind, scalars_apart};
use crate::lex::{self, Word};
use crate::nested::{self, Wrappers};
use crate::number;
use crate::parse;
use crate::repair::{Repair, RepairKind};
use crate::shape::Mended;
use crate::verdict::{Source, Verdict};

/// How many candidates may say items of an accepted list again. Each is compared with all items.
const MAX_REPEATED: usize = 64;

impl Judge<'_> {
    pub(super) fn choose(&self, text: &str, found: Candidates) -> Verdict {
        if found.over_limit {
            return report::too_many_starts();
        }
        let Candidates { mut items, outside, rest, .. } = found;
        let mut judged: Vec<Judged> = items.iter_mut().map(|item| self.unchanged(text, item)).collect();
        let is_found = judged.iter().any(|judged| judged.conforming.is_some());
        if is_found || self.is_lenient() {
            self.repair(text, &items, &mut judged, &rest, is_found);
        }
        let contend = judged.iter().any(|judged| judged.contends);
        judged.iter_mut().for_each(|judged| judged.contends |= !contend);
        let options = self.contract.options();
        // Items do not decide where the list is.
        let is_list = |one: &&Judged| text.as_bytes().get(one.range.start) == Some(&b'[');
        let contending = || judged.iter().filter(|judged| judged.contends);
        let only_lists = self.facts().list && contending().any(|one| is_list(&one));
        let deciding = contending().filter(|one| !only_lists || is_list(one));
        let place = deciding.map(|judged| judged.source).filter(|source| options.takes(*source)).min();
        let verdict = place.and_then(|place| self.decide(text, &judged, place, &outside, &rest));
        let verdict = verdict.or_else(|| self.bare_word(text, &judged, rest).filter(|_| self.is_lenient()));
        verdict.unwrap_or_else(|| {
            let is_here =
                |judged: &Judged| judged.contends && place.is_none_or(|place| judged.source == place);
            let here = items.iter().zip(&judged).filter(|(_, judged)| is_here(judged));
            self.reject(text, &here.collect::<Vec<_>>())
        })
    }

    /// The verdict of the place that decides, if a value there is accepted or could be.
    fn decide(
        &self,
        text: &str,
        judged: &[Judged],
        place: Source,
        outside: &[Span],
        rest: &Range<usize>,
    ) -> Option<Verdict> {
        let is_taken = |judged: &&Judged| self.is_lenient() || judged.is_plain;
        let here: Vec<&Judged> = judged.iter().filter(|one| one.contends && one.source == place).collect();
        if let Some((first, second)) =
            here.iter().filter(|one| is_taken(one)).find_map(|one| one.twice.as_ref())
        {
            return Some(report::ambiguous(first, second));
        }
        let first = here.iter().filter(|one| is_taken(one)).find_map(|one| one.conforming.clone());
        let found = match first {
            Some(found) => found,
            None if self.is_lenient() => match self.join(text, &here, rest)? {
                Ok(joined) => joined,
                Err(ambiguous) => return Some(*ambiguous),
            },
            None => return None,
        };
        if let Some(rival) = self.rival(&found, judged) {
            return Some(match &rival.read {
                Some(read) => report::ambiguous(&found.value, read.value()),
                None => report::ambiguous_text(&found.value, text, rival.range.clone()),
            });
        }
        if let Some(scalar) = self.scalar_rival(text, &found, judged, outside) {
            return Some(report::ambiguous(&found.value, &scalar));
        }
        // A member of the schema that is outside of the value that lacks it.
        let end = found.account.last().map_or(text.len(), |source| source.range.end);
        let is_lost = |key: &str| self.facts().properties().contains(key) && found.value.get(key).is_none();
        if member_behind(text, end).is_some_and(is_lost) {
            return Some(report::ambiguous_text(&found.value, text, end..text.len()));
        }
        let Conforming { value, mut repairs, account } = found;
        if self.was_unwrapped(place, &account) {
            repairs.insert(0, unwrapped());
        }
        let account = Account { outside: outside.to_vec(), candidates: account };
        Some(self.accept(text, value, repairs, place, account))
    }

    /// A candidate that competes with a value: it contends, or is directly beside it, and does not say the same. One that does
    /// not conform and was replaced by the value, later in the text, does not compete; nor does the call of another tool.
    fn rival<'j>(&self, found: &Conforming, judged: &'j [Judged]) -> Option<&'j Judged> {
        let is_own = |one: &Judged| {
            found.account.binary_search_by_key(&one.range.start, |source| source.range.start).is_ok()
        };
        let items = found.value.as_array().filter(|_| self.facts().list);
        let said = |one: &'j Judged| {
            let conforming = one.conforming.as_ref().map(|same| &same.value);
            conforming.or(one.read.as_ref().map(Read::value))
        };
        let is_same = |one: &'j Judged| said(one).is_some_and(|said| number::same(said, &found.value));
        // An item of the list that is said again.
        let mut repeated = 0;
        let mut is_item = |one: &'j Judged| {
            repeated += 1;
            let items = items.into_iter().flatten();
            repeated <= MAX_REPEATED
                && said(one).is_some_and(|said| items.into_iter().any(|item| number::same(item, said)))
        };
        let first = judged.iter().position(is_own)?;
        let last = judged.iter().rposition(is_own)?;
        let call = judged.get(first).and_then(|own| own.read.as_ref());
        let is_other_call = |one: &Judged| {
            let calls = call.zip(one.read.as_ref());
            calls.is_some_and(|(own, other)| nested::are_calls_of_two(own.value(), other.value()))
        };
        let competes = |(index, one): &(usize, &'j Judged)| {
            let own_joint = judged.get(first).and_then(|own| own.joint).filter(|_| *index + 1 == first);
            let joint = own_joint.filter(|joint| *joint != Joint::Space);
            if let Some(joint) = joint.or(one.joint.filter(|_| *index == last + 1)) {
                return joint == Joint::Operator || !is_same(one);
            }
            let is_whole = |read: &Read| items.is_none() || read.value().is_array();
            let was_read = one.read.as_ref().is_some_and(|read| read.spans.is_none() && is_whole(read));
            let is_passed_over =
                one.conforming.is_none() && (*index < first && was_read || is_other_call(one));
            one.contends && !is_passed_over && !is_same(one) && !is_item(one)
        };
        let others = judged.iter().enumerate().filter(|(_, one)| !is_own(one));
        let mut competing = others.filter(competes);
        competing.next().map(|(_, one)| one)
    }

    /// A scalar apart from other words that could be meant instead of a value, or as another item of it. Such scalars are looked
    /// for only here: every other text has too many of them.
    fn scalar_rival(
        &self,
        text: &str,
        found: &Conforming,
        judged: &[Judged],
        outside: &[Span],
    ) -> Option<Value> {
        let facts = self.facts();
        if found.value.is_object() || !facts.has_scalars() {
            return None;
        }
        let hidden =
            outside.iter().filter(|span| span.kind != SpanKind::Fence).map(|span| span.range.clone());
        let read = judged.iter().map(|one| one.read.as_ref().map_or(&one.range, |read| &read.range).clone());
        let mut taken: Vec<Range<usize>> =
            hidden.chain(read).chain(std::iter::once(text.len()..text.len())).collect();
        taken.sort_by_key(|range| range.start);
        let gaps = taken.iter().scan(0, |end, range| {
            let gap = *end..range.start.max(*end);
            *end = range.end.max(*end);
            Some(gap)
        });
        let items = found.value.as_array();
        let mut compared = 0;
        let mut is_said = |scalar: &Value| {
            compared += 1;
            let items = items.filter(|_| compared <= MAX_REPEATED).into_iter().flatten();
            number::same(scalar, &found.value) || items.into_iter().any(|item| number::same(item, scalar))
        };
        let mut apart = gaps.flat_map(|gap| scalars_apart(text, gap)).filter_map(|word| {
            let listed = || Some(Value::from(word)).filter(|word| facts.lists(word));
            let scalar = parse::whole(word).ok().filter(|value| !value.is_object() && !value.is_array());
            scalar.filter(|scalar| facts.resembles(scalar)).or_else(listed)
        });
        apart.find(|scalar| !is_said(scalar))
    }

    /// Whether the wrapper that lowering made was removed from a value that did not come through the channel it was sent for.
    fn was_unwrapped(&self, source: Source, account: &[account::Source]) -> bool {
        let mut read = account.iter().filter_map(|candidate| candidate.read.as_ref());
        self.answer.lift.is_some_and(|lift| {
            (source != Source::Text || !lift.is_through_channel()) && read.any(|read| lift.unwraps(read))
        })
    }

    /// What the strict parser read, and whether it conforms as it is or as the arguments of a call. The value moves out of
    /// the candidate.
    fn unchanged(&self, text: &str, item: &mut Candidate) -> Judged {
        let is_part = item.is_part;
        let read = item.reading.as_mut().ok().filter(|_| !is_part).and_then(|value| {
            let (raw, lifted) = match self.answer.lift {
                Some(lift) => (value.clone(), Some(lift.lift(value.clone(), self.meter).ok()?)),
                None => (value.take(), None),
            };
            Some(Read { raw, lifted, range: item.range.clone(), spans: None })
        });
        let mut judged = Judged::of(item, read);
        if let Some(read) = &judged.read {
            if self.passes(read.value()) {
                judged.conforming = Some(Conforming::of(read, read.value().clone(), Vec::new()));
            } else {
                let (conforming, twice) = self.nested(read, item.source);
                (judged.conforming, judged.twice) = (conforming, twice);
            }
            judged.is_plain = judged.conforming.is_some();
        }
        let value = judged.read.as_ref().map(Read::value).or(item.reading.as_ref().ok());
        judged.contends = match value {
            // An object may conform to an open schema and have none of its keys.
            Some(value) if judged.is_plain && !value.is_object() => true,
            Some(value) => self.facts().resembles(value) && (judged.is_plain || !self.is_echo(value)),
            None => self.facts().is_begun(text.get(item.range.clone()).unwrap_or_default()),
        };
        judged
    }

    /// Strict mode takes a value out of a surrounding object in two cases only: the arguments of a tool call, and, in prose, an
    /// echoed schema that has the answer where its members would be. Anything else would be a repair of shape.
    fn nested(&self, read: &Read, source: Source) -> (Option<Conforming>, Option<(Value, Value)>) {
        if !self.contract.options().extracts() || self.is_echo(read.value()) {
            return (None, None);
        }
        let wrappers = match source {
            _ if self.is_lenient() => Wrappers::Any,
            Source::Prose => Wrappers::ToolCallsAndSchemas,
            _ => Wrappers::ToolCalls,
        };
        let mut passes = |value: &Value| self.stands_for(value).is_some_and(|value| self.passes(&value));
        let inside = nested::inside(self.facts(), read.value(), wrappers, &mut passes);
        let mut inside: Vec<Value> = inside.into_iter().cloned().collect();
        let written = nested::written_arguments(read.value(), |text| parse::whole(text).ok());
        inside.extend(written.filter(|value| passes(value)));
        let lifted = inside.iter().filter_map(|inner| self.stands_for(inner)).map(Cow::into_owned);
        let repairs = || self.is_lenient().then(unwrapped).into_iter().collect();
        only(lifted.map(|inner| Conforming::of(read, inner, repairs())))
    }

    /// A text without any bracket that is, as a whole but for its reasoning, one of the values that the schema lists, or a
    /// literal of another language.
    fn bare_word(&self, text: &str, judged: &[Judged], rest: Range<usize>) -> Option<Verdict> {
        if judged.iter().any(|judged| judged.source != Source::Text) {
            return None;
        }
        let word = text.get(rest.clone())?;
        let is_listed = || {
            let facts = self.facts();
            judged.is_empty() && facts.is_listed() && !facts.lists(&Value::Null)
        };
        let (kind, raw) = match lex::classify(word)? {
            _ if is_listed() && self.facts().lists(&Value::from(word)) => {
                (RepairKind::Unquoted, Value::from(word))
            }
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

pub(super) fn unwrapped() -> Repair {
    Repair::of_whole(RepairKind::Unwrapped, "value was unwrapped from another value")
}

/// The one value that was found, or the first two different ones.
pub(super) fn only(
    mut found: impl Iterator<Item = Conforming>,
) -> (Option<Conforming>, Option<(Value, Value)>) {
    let Some(first) = found.next() else { return (None, None) };
    let second = found.find(|other| !number::same(&first.value, &other.value));
    let twice = second.map(|second| (first.value.clone(), second.value));
    (Some(first), twice)
}
