//! What lenient mode adds: damaged syntax is read, wrong shape is mended, several values become a list.

mod between;

use std::ops::Range;

use serde_json::Value;

use super::escaped::{self, Escaped};
use super::{Judge, TEXT_SOURCES, Tally, accept, report, unwrapped};
use crate::enclosure::{self, Ends};
use crate::nested::{self, Wrappers};
use crate::parse::{Fault, FaultKind};
use crate::repair::{Extent, Offer, Reading, Search, Start};
use crate::scan::{Found, Item, Scan, Setting};
use crate::shape::{self, Mended};
use crate::surround;
use crate::verdict::{Repair, RepairKind, Source, Verdict};

/// So many values that begin as escaped ones and are none are looked through: each may take the rest of the text.
const MAX_UNESCAPED: usize = 16;

/// A value as far as it could be read, and what the contract made of it.
struct Candidate {
    source: Source,
    /// What was read, conforming or not.
    read: Option<Found>,
    /// What is known of what was around its parts.
    extent: Extent,
    conforming: Option<(Value, Vec<Repair>)>,
}

impl Candidate {
    /// One that could not be read.
    fn unread(source: Source) -> Self {
        Self { source, read: None, extent: Extent::Whole, conforming: None }
    }
}

impl Judge<'_> {
    /// Mends the shape of a value, invariants included.
    pub(super) fn mend(&self, value: &Value) -> Option<Mended> {
        let mended = shape::mend(self.contract.schema(), value)?;
        (self.keeps_invariants(&mended.value) && !self.is_echo(&mended.value)).then_some(mended)
    }

    /// The verdict on what can be repaired; or else what could be read, for the report.
    pub(super) fn choose_repaired(&self, text: &str, scan: &Scan) -> Result<Verdict, Vec<Found>> {
        let candidates = match self.read_all(text, &scan.items) {
            Ok(candidates) => candidates,
            Err(ambiguous) => return Ok(*ambiguous),
        };
        let verdict = self
            .choose_candidate(text, &candidates)
            .or_else(|| self.choose_nested_repaired(&candidates))
            .or_else(|| self.scalar(text, scan));
        verdict.ok_or_else(|| candidates.into_iter().filter_map(|candidate| candidate.read).collect())
    }

    fn choose_candidate(&self, text: &str, candidates: &[Candidate]) -> Option<Verdict> {
        TEXT_SOURCES.into_iter().find_map(|source| {
            let mut tally = Tally::default();
            for candidate in candidates.iter().filter(|candidate| candidate.source == source) {
                if let Some((value, repairs)) = &candidate.conforming {
                    tally.add(value, || repairs.clone());
                }
            }
            tally.verdict(source).or_else(|| self.join(text, candidates, source))
        })
    }

    /// Reads every item, in order; what one reading takes in is not read again. The error is that one of them is
    /// ambiguous.
    fn read_all(&self, text: &str, items: &[Item]) -> Result<Vec<Candidate>, Box<Verdict>> {
        let alone = items.len() == 1;
        let mut search = Search::new(text);
        let mut behind = 0;
        let mut ends = Ends::new(text.as_bytes());
        let mut unescaped = 0;
        let mut candidates = Vec::new();
        for item in items {
            let inside = item.reading.as_ref().is_ok_and(|found| found.setting == Setting::Inside);
            let in_prose = item.source == Source::Prose && item.reading.is_err();
            if item.start < behind || inside || (in_prose && surround::is_remark(text, item.start)) {
                continue;
            }
            let candidate = match &item.reading {
                Ok(found) if found.setting == Setting::Free => Candidate {
                    read: Some(found.clone()),
                    conforming: self.mend_single(&found.value, alone),
                    ..Candidate::unread(item.source)
                },
                // It was read and stands for nothing; to read it otherwise would be a guess.
                Err(Fault { kind: FaultKind::Unlifted(_), .. }) => Candidate::unread(item.source),
                _ => self.read_damaged(&mut search, &mut unescaped, text, item, alone)?,
            };
            behind = match &candidate.read {
                Some(found) => found.range.end,
                // What stands inside a value that could not be read is a part of it, not an answer.
                None if enclosure::begins_container(text, item.start) => {
                    ends.end(item.start).unwrap_or(text.len())
                }
                None => item.start + 1,
            };
            candidates.push(candidate);
        }
        Ok(candidates)
    }

    /// Where a list is asked and there are several values, each is an item, not a list of one.
    fn mend_single(&self, value: &Value, alone: bool) -> Option<(Value, Vec<Repair>)> {
        if !alone && self.facts().list && !value.is_array() && !self.facts().attempts(value) {
            return None;
        }
        let Mended { value, repairs } = self.mend(value)?;
        let wraps = |repair: &Repair| repair.kind == RepairKind::WrappedInList && repair.path.ends_with(']');
        (alone || !repairs.iter().any(wraps)).then_some((value, repairs))
    }

    /// `unescaped`: how many values seemed to be escaped and were not.
    fn read_damaged(
        &self,
        search: &mut Search<'_>,
        unescaped: &mut usize,
        text: &str,
        item: &Item,
        alone: bool,
    ) -> Result<Candidate, Box<Verdict>> {
        if *unescaped < MAX_UNESCAPED && text.get(item.start..).is_some_and(escaped::begins) {
            if let Some(candidate) = self.read_escaped(text, item) {
                return Ok(candidate);
            }
            *unescaped += 1;
        }
        let to_the_end = item.source == Source::Text;
        let mut conform = |value: &Value, guessed: bool| -> Option<Offer> {
            let (value, repairs) = self.mend_single(self.stands_for(value)?.as_ref(), alone)?;
            // What was cut off may have had more keys than the one that seems to be a wrapper.
            let unwrapped = repairs.iter().any(|repair| repair.kind == RepairKind::Unwrapped);
            let sure = !unwrapped && self.contract.schema().names_all_members(&value);
            (!guessed || sure).then_some(Offer { value, repairs })
        };
        let unread = Candidate::unread(item.source);
        Ok(match search.read(Start { at: item.start, to_the_end }, &mut conform) {
            Reading::Conforming { value, repairs, range } => Candidate {
                read: Some(unfinished(value.clone(), range)),
                conforming: Some((value, repairs)),
                ..unread
            },
            Reading::Readable { value, range, extent } => {
                let read = self.stands_for(&value).map(|read| unfinished(read.into_owned(), range));
                Candidate { read, extent, ..unread }
            }
            Reading::Ambiguous { first, second } => {
                return Err(Box::new(report::ambiguous(&first, &second)));
            }
            Reading::Nothing => unread,
        })
    }

    /// A value whose quotes are all escaped was written into a string that lost its own quotes.
    fn read_escaped(&self, text: &str, item: &Item) -> Option<Candidate> {
        let unread = Candidate::unread(item.source);
        let (before, rest) = text.split_at_checked(item.start)?;
        let Escaped { value, length, goes_on } = escaped::value(rest)?;
        if goes_on || escaped::is_quoted(before) {
            return Some(unread);
        }
        let mended = self.mend(self.stands_for(&value)?.as_ref())?;
        let repair = Repair::of_whole(RepairKind::Escape, "the whole value was escaped once too often");
        let conforming = Some((mended.value, all(repair, mended.repairs)));
        let read = Some(unfinished(value, item.start..item.start + length));
        Some(Candidate { read, conforming, ..unread })
    }

    /// Several values where a list of them is asked. If what is between them and around them does not show that all of
    /// them are meant, one may stand for another, and nobody can tell.
    fn join(&self, text: &str, candidates: &[Candidate], source: Source) -> Option<Verdict> {
        if !self.facts().list {
            return None;
        }
        let of_source = candidates.iter().filter(|candidate| candidate.source == source);
        let found: Vec<&Found> = of_source.map(|candidate| candidate.read.as_ref()).collect::<Option<_>>()?;
        let [first, second, ..] = found.as_slice() else { return None };
        let detail = format!("{} values were read as a list", found.len());
        let list: Value = found.iter().map(|found| found.value.clone()).collect();
        if found.iter().any(|found| found.value.is_array()) && !self.passes(&list) {
            return None;
        }
        let mended = self.mend(&list)?;
        if !between::join(text, &found) {
            return Some(report::ambiguous(&first.value, &second.value));
        }
        let repair = Repair::of_whole(RepairKind::JoinedValues, detail);
        Some(accept(mended.value, all(repair, mended.repairs), source))
    }

    fn choose_nested_repaired(&self, candidates: &[Candidate]) -> Option<Verdict> {
        TEXT_SOURCES.into_iter().find_map(|source| {
            let mut tally = Tally::default();
            for candidate in candidates.iter().filter(|candidate| candidate.source == source) {
                let wrappers = match candidate.extent {
                    Extent::Whole => Wrappers::Any,
                    // A tool call says what its arguments are; one key may have been one of several.
                    Extent::Cut => Wrappers::ToolCalls,
                    // No part of it stands for itself.
                    Extent::Guessed => continue,
                };
                let read = candidate.read.as_ref().map(|found| &found.value);
                let Some(read) = read.filter(|read| !self.is_echo(read)) else { continue };
                let mend = |value: &Value| self.mend(self.stands_for(value)?.as_ref());
                let mut passes = |value: &Value| mend(value).is_some();
                let inside = nested::inside(self.facts(), read, wrappers, &mut passes);
                let mut inner: Vec<Value> = inside.into_iter().cloned().collect();
                inner.extend(nested::written_arguments(read));
                for mended in inner.iter().filter_map(mend) {
                    tally.add(&mended.value, || all(unwrapped(), mended.repairs));
                }
            }
            tally.verdict(source)
        })
    }

    /// A text without any bracket that is, as a whole but for its reasoning and its markup, one of the values that the
    /// schema lists, or a literal of another language.
    fn scalar(&self, text: &str, scan: &Scan) -> Option<Verdict> {
        let items = &scan.items;
        if items.iter().any(|item| item.source != Source::Text) {
            return None;
        }
        let word = text.get(scan.rest.clone())?;
        let (kind, value) = match word {
            "True" | "TRUE" => (RepairKind::Literal, Value::Bool(true)),
            "False" | "FALSE" => (RepairKind::Literal, Value::Bool(false)),
            "None" | "NULL" => (RepairKind::Literal, Value::Null),
            _ if self.facts().is_listed() && items.is_empty() => (RepairKind::Unquoted, Value::from(word)),
            _ => return None,
        };
        let listed =
            || Some(plain(word)).filter(|word| kind == RepairKind::Unquoted && self.facts().lists(word));
        let mended = self.mend(&value).or_else(|| self.mend(&listed()?))?;
        // As a string, a literal would be what JSON writes, and not what was written.
        if kind == RepairKind::Literal && mended.value.is_string() && !self.facts().is_listed() {
            return None;
        }
        let repair = Repair::of_whole(kind, kind.words());
        Some(accept(mended.value, all(repair, mended.repairs), Source::Text))
    }
}

/// A word without the markup and the quotes around it, and without a full stop.
fn plain(word: &str) -> Value {
    const MARKS: &[char] =
        &['*', '_', '`', '"', '\'', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}', ' ', '\n', '\r'];
    let fenced = word.strip_prefix("```").and_then(|inside| inside.strip_suffix("```")?.split_once('\n'));
    let word = fenced.map_or(word, |(_, inside)| inside).trim_matches(MARKS);
    Value::from(word.strip_suffix('.').unwrap_or(word).trim_end_matches(MARKS))
}

/// A value that was read out of damage.
fn unfinished(value: Value, range: Range<usize>) -> Found {
    Found { value, range, setting: Setting::Unfinished }
}

/// A repair and those that were made after it.
fn all(first: Repair, others: Vec<Repair>) -> Vec<Repair> {
    std::iter::once(first).chain(others).collect()
}
