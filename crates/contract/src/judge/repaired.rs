//! What lenient mode repairs: the shape of a candidate without loss, or its cheapest conforming reading.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use super::join::is_separator;
use super::policy::{only, unwrapped};
use super::{Conforming, Judge, Judged, Read};
use crate::candidates::{Candidate, goes_on, goes_on_behind_marks, is_quiet};
use crate::nested::{self, Wrappers};
use crate::parse::{ParseError, ParseErrorKind};
use crate::read::{self, Built, Escaped, Offer, Reading, Search};
use crate::repair::{Repair, RepairKind};
use crate::shape::Mended;
use crate::verdict::Source;

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

/// Repairs after which it is in doubt to which object a member belongs, or where the value ends.
const GUESSING: &[RepairKind] =
    &[RepairKind::Bracket, RepairKind::Truncated, RepairKind::InnerQuote, RepairKind::MissingQuote];

/// How many candidates are looked at for escaped quotes throughout.
const MAX_UNESCAPED: usize = 16;

impl Judge<'_> {
    /// Reads and reshapes the candidates that do not conform as they are, in order; what one reading takes in is not read
    /// again. If another conforms (`is_found`), only those that contend are read, to see whether they say the same.
    pub(super) fn repair(
        &self,
        text: &str,
        items: &[Candidate],
        judged: &mut [Judged],
        rest: &Range<usize>,
        is_found: bool,
    ) {
        let alone = items.len() == 1;
        let mut search = Search::new(text);
        let mut behind = 0;
        let mut unescaped = 0;
        for (item, judged) in items.iter().zip(judged) {
            if judged.conforming.is_some() || is_found && !judged.contends {
                continue;
            }
            if item.range.start < behind {
                judged.contends = false;
                continue;
            }
            if item.is_part {
                continue;
            }
            let repaired = match (&item.reading, &judged.read) {
                (Ok(_), Some(read)) => self.reshaped(text, read, item, alone, rest),
                // It was read and has no meaning; any other reading would be a guess.
                (Ok(_), None) | (Err(ParseError { kind: ParseErrorKind::TooDeep, .. }), _) => continue,
                (Err(_), _) => self
                    .read_escaped(text, item, &mut unescaped)
                    .unwrap_or_else(|| self.read_damaged(&mut search, text, item, alone, rest)),
            };
            let contends = judged.contends || repaired.conforming.is_some() || repaired.twice.is_some();
            *judged = Judged { contends, ..repaired };
            if judged.conforming.is_none()
                && !judged.guessed
                && let Some(read) = &judged.read
            {
                let (conforming, twice) = self.nested_repaired(read);
                judged.contends |= conforming.is_some();
                (judged.conforming, judged.twice) = (conforming, judged.twice.take().or(twice));
            }
            behind = judged.read.as_ref().map_or(item.range.end, |read| read.range.end);
        }
    }

    fn reshaped(
        &self,
        text: &str,
        read: &Read,
        item: &Candidate,
        alone: bool,
        rest: &Range<usize>,
    ) -> Judged {
        let behind = text.get(read.range.end..rest.end).unwrap_or_default();
        let before = text.get(rest.start..read.range.start).filter(|_| item.source != Source::Fence);
        let mended = self.mend_single(read.value(), alone, before.unwrap_or_default(), behind);
        let conforming = mended.map(|Mended { value, repairs }| Conforming::of(read, value, repairs));
        let (raw, lifted, range) = (read.raw.clone(), read.lifted.clone(), read.range.clone());
        let read = Read { raw, lifted, range, spans: None };
        Judged { conforming, ..Judged::of(item, Some(read)) }
    }

    /// Where a list is asked and there are several values, each is an item, not a list of one. Nor is one with words or a comma
    /// behind it, or words before it outside of a fence: they may speak of more.
    fn mend_single(&self, value: &Value, alone: bool, before: &str, behind: &str) -> Option<Mended> {
        if !alone && self.facts().list && !value.is_array() && !self.facts().attempts(value) {
            return None;
        }
        let mended = self.mend(value)?;
        let wraps = |repair: &Repair| repair.kind == RepairKind::WrappedInList;
        let wraps_item = |repair: &Repair| wraps(repair) && repair.path.ends_with(']');
        let wraps_root = |repair: &Repair| wraps(repair) && repair.path == "$";
        let may_be_more = mended.repairs.iter().any(wraps) && (behind.contains(',') || !is_separator(behind))
            || mended.repairs.iter().any(wraps_root) && !is_separator(before);
        (!may_be_more && (alone || !mended.repairs.iter().any(wraps_item))).then_some(mended)
    }

    fn read_damaged(
        &self,
        search: &mut Search<'_>,
        text: &str,
        item: &Candidate,
        alone: bool,
        rest: &Range<usize>,
    ) -> Judged {
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
            let is_taken = |value: &Value| {
                let mended = self.stands_for(value).and_then(|value| self.mend(value.as_ref()));
                mended.is_some_and(|mended| {
                    mended.repairs.iter().all(|repair| repair.kind != RepairKind::Coerced)
                })
            };
            if built.reworded.iter().any(is_taken) {
                return None;
            }
            if built.has(&[RepairKind::Truncated]) && goes_on_behind_marks(text, end) {
                return None;
            }
            let lifted = self.stands_for(&built.value)?;
            let before = Some(part(rest.start..range.start)).filter(|_| item.source != Source::Fence);
            let Mended { value, repairs } =
                self.mend_single(&lifted, alone, before.unwrap_or_default(), part(end..rest.end))?;
            // A comment beside an item that became a list may speak of more.
            let wraps = |repair: &Repair| repair.kind == RepairKind::WrappedInList;
            if built.has(&[RepairKind::Comment]) && repairs.iter().any(wraps) {
                return None;
            }
            let assumes = built.has_bare_value || built.has(ASSUMING);
            if assumes && !repairs.iter().all(|repair| is_plain(repair.kind)) {
                return None;
            }
            // As a string, a number or a literal would be what JSON writes, and not what was written.
            let respelled = built.has(&[RepairKind::NumberForm, RepairKind::Literal]);
            if respelled && repairs.iter().any(|repair| repair.kind == RepairKind::Coerced) {
                return None;
            }
            // If brackets were missing, or it is in doubt where a string ends, a property that the schema does not name may
            // belong elsewhere, and what follows the mark of a fence may belong to the value.
            let guessed = built.has(GUESSING);
            let sure = !guessed || self.contract.schema().names_all_members(&value);
            let behind = if guessed { part(end..region.end) } else { behind(part(end..region.end)) };
            let is_alone = || {
                is_quiet(part(region.start..range.start))
                    && is_quiet(behind)
                    && !goes_on(text, &(range.start..end))
                    && !part(end..range.end.max(end)).contains(['{', '['])
            };
            (sure && is_alone()).then_some(Offer { value, repairs })
        };
        let reading = search.read(range.start, region.end, &mut conform);
        match reading {
            Reading::Conforming { value, read, repairs, spans, range } => {
                let source = if is_whole(range.end) { Source::Text } else { item.source };
                let read = Read { raw: read, lifted: None, range, spans: Some(spans) };
                let conforming = Some(Conforming::of(&read, value, repairs));
                Judged { source, conforming, ..Judged::of(item, Some(read)) }
            }
            Reading::Readable { built, range } => {
                let guessed = built.has_bare_value || built.has(ASSUMING);
                let lifted = self.stands_for(&built.value).map(Cow::into_owned);
                let read = lifted.map(|lifted| Read {
                    raw: built.value,
                    lifted: self.answer.lift.map(|_| lifted),
                    range,
                    spans: Some(built.spans),
                });
                Judged { guessed, ..Judged::of(item, read) }
            }
            Reading::Ambiguous { first, second } => {
                Judged { twice: Some((first, second)), ..Judged::of(item, None) }
            }
            Reading::Nothing => Judged::of(item, None),
        }
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
        Some(Judged { conforming, guessed: true, ..Judged::of(item, Some(read)) })
    }

    fn nested_repaired(&self, read: &Read) -> (Option<Conforming>, Option<(Value, Value)>) {
        if self.is_echo(read.value()) {
            return (None, None);
        }
        let mend = |value: &Value| self.mend(self.stands_for(value)?.as_ref());
        let mut passes = |value: &Value| mend(value).is_some();
        let inside = nested::inside(self.facts(), read.value(), Wrappers::Any, &mut passes);
        let mut inner: Vec<Value> = inside.into_iter().cloned().collect();
        inner.extend(nested::written_arguments(read.value(), read::written));
        only(inner.iter().filter_map(mend).map(|Mended { value, repairs }| {
            Conforming::of(read, value, std::iter::once(unwrapped()).chain(repairs).collect())
        }))
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
