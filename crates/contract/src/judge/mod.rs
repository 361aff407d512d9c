//! Judging one answer: find what could be the value, read it, test it, choose.
//!
//! How an answer becomes a verdict, in the order in which the rules are tried. The first that has a verdict ends it, so what
//! takes the least trust comes first: a value that stands in the text as it is, wherever that may be, is surer than one that
//! had to be repaired.
//!
//! 1. **The structured value**, if the provider handed one over; leniently also with its shape mended. If it stands for no
//!    single value, that is the verdict; if it does not conform, the text may still hold one that does.
//! 2. **The whole text** as one value. This is the common case: one parse, one validation. A whole value that does not
//!    conform is the only candidate in all that follows.
//! 3. **Find** (`scan`). One pass collects the places where a value stands or seems to begin, in fences and in prose. It
//!    passes over what is no part of the answer: `reasoning`, what the text itself disowns (`disowned`), brackets of
//!    markdown (`markup`), code that changes a value (`expression`). What is found is marked by how it stands to the text
//!    around it: what is next to it (`surround`), and whether a damaged value encloses it (`enclosure`). Only what stands
//!    free is taken as it is; a part of something is not the answer. Without extraction, the whole text behind the
//!    reasoning is the only place.
//! 4. **As it stands**: [`Judge::choose_direct`].
//! 5. **Inside a wrapper** (`nested`), such as the arguments of a tool call: [`Judge::choose_nested`]. Strict mode ends
//!    here.
//! 6. **Respelled** (`respelled`): without the marks of its lines, with marks of the usual width or with brackets that it
//!    lacks, the text is judged anew, once. This comes before repairs, which would take the marks of lines for items.
//! 7. **Repaired**: what stands free has its shape mended (`shape`); what is damaged is read as escaped once too often
//!    (`escaped`), or else by the cheapest reading that conforms (`repair`). Several values may be joined where a list is
//!    asked (`between`).
//! 8. **Inside a wrapper, repaired**, and last **a bare word** that the schema lists.
//! 9. **Reject** (`report`), with the errors of the candidate that came closest.
//!
//! In each of the steps 4, 5, 7 and 8 the sources are tried in order of trust: the whole text, fenced blocks, prose. Within
//! the most trusted source that has one, exactly one value must pass; two different ones are `ambiguous`, because a guess is
//! not a contract. The schema given back is never an answer (`echo`). Whatever is accepted was validated whole,
//! invariants included, after the last change to it.

mod echo;
mod escaped;
mod fault;
mod lenient;
mod report;
mod respelled;

use std::borrow::Cow;
use std::cell::OnceCell;

use serde_json::Value;

use crate::contract::{Contract, Mode};
use crate::limits::MAX_TEXT_BYTES;
use crate::lower::LiftError;
use crate::nested::{self, Facts, Wrappers};
use crate::number;
use crate::parse::{self, Fault, FaultKind};
use crate::reasoning;
use crate::scan::{self, Found, Item, Scan, Setting};
use crate::schema::within_one_budget;
use crate::verdict::{Accepted, Answer, Candidate, Repair, RepairKind, Source, Verdict};

/// The sources of a text, most trusted first.
const TEXT_SOURCES: [Source; 3] = [Source::Text, Source::Fence, Source::Prose];

/// Decides whether an answer holds exactly one value that keeps the contract.
pub fn judge(answer: &Answer<'_>, contract: &Contract) -> Verdict {
    within_one_budget(|| verdict(answer, contract))
}

fn verdict(answer: &Answer<'_>, contract: &Contract) -> Verdict {
    if answer.text.len() > MAX_TEXT_BYTES {
        return report::text_too_long(answer.text.len());
    }
    let judge = Judge { answer: *answer, contract, facts: OnceCell::new(), spelling: Spelling::AsGiven };
    if let Some(value) = answer.structured
        && let Some(verdict) = judge.structured(value)
    {
        return verdict;
    }
    judge.text()
}

struct Judge<'a> {
    answer: Answer<'a>,
    contract: &'a Contract,
    /// Worked out only when the plain way fails.
    facts: OnceCell<Facts>,
    spelling: Spelling,
}

/// Whether a text is the one that was given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    AsGiven,
    /// It is without the marks of its lines, or with marks that it had not. This is done once.
    Changed,
}

impl Judge<'_> {
    fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| Facts::of(self.contract.schema()))
    }

    fn is_lenient(&self) -> bool {
        self.contract.options().mode == Mode::Lenient
    }

    /// Whether a value keeps the whole contract.
    fn passes(&self, value: &Value) -> bool {
        self.contract.schema().is_valid(value) && self.keeps_invariants(value)
    }

    fn keeps_invariants(&self, value: &Value) -> bool {
        let invariants = self.contract.invariants();
        invariants.is_empty() || invariants.check(value, self.answer.input).is_empty()
    }

    /// What a value stands for.
    fn lifted(&self, value: Value) -> Result<Value, LiftError> {
        match self.answer.lift {
            Some(lift) => lift.lift(value),
            None => Ok(value),
        }
    }

    /// The same. Nothing where it stands for no single value: the form that was sent is never the answer.
    fn stands_for<'v>(&self, value: &'v Value) -> Option<Cow<'v, Value>> {
        match self.answer.lift {
            Some(lift) => lift.lift(value.clone()).ok().map(Cow::Owned),
            None => Some(Cow::Borrowed(value)),
        }
    }

    /// What was found in a text, as what it stands for.
    fn lift_all(&self, scan: &mut Scan) {
        for item in scan.items.iter_mut().filter(|_| self.answer.lift.is_some()) {
            let Ok(found) = &mut item.reading else { continue };
            match self.lifted(found.value.take()) {
                Ok(value) => found.value = value,
                Err(error) => {
                    let (kind, at) = (FaultKind::Unlifted(error), found.range.end);
                    item.reading = Err(Fault { kind, at });
                }
            }
        }
    }

    fn structured(&self, value: &Value) -> Option<Verdict> {
        let value = match self.lifted(value.clone()) {
            Ok(lifted) => lifted,
            Err(error) => return Some(report::unlifted(&error, read(value.clone()))),
        };
        if self.passes(&value) && !self.is_echo(&value) {
            return Some(accept(value, Vec::new(), Source::Structured));
        }
        let mended = self.is_lenient().then(|| self.mend(&value)).flatten()?;
        Some(accept(mended.value, mended.repairs, Source::Structured))
    }

    fn text(&self) -> Verdict {
        let text = self.answer.text.trim_start_matches('\u{feff}');
        let whole = parse::whole(text);
        if let Ok(value) = whole {
            let value = match self.answer.lift.map(|lift| lift.lift(value.clone())) {
                None => value,
                Some(Ok(lifted)) => lifted,
                Some(Err(error)) => return report::unlifted(&error, read(value)),
            };
            if self.passes(&value) && !self.is_echo(&value) {
                return accept(value, Vec::new(), Source::Text);
            }
            let start = text.len() - text.trim_start().len();
            let range = start..text.trim_end().len();
            let item = Item {
                source: Source::Text,
                start,
                reading: Ok(Found { value, range, setting: Setting::Free }),
            };
            return self.choose(text, &Scan { items: vec![item], ..Scan::default() });
        }
        let mut found = match self.contract.options().extracts() {
            true => scan::scan(text),
            false => whole_item(text),
        };
        self.lift_all(&mut found);
        self.choose(text, &found)
    }

    fn choose(&self, text: &str, scan: &Scan) -> Verdict {
        if scan.over_limit {
            return report::too_many_starts();
        }
        if let Some(verdict) = self.choose_direct(&scan.items).or_else(|| self.choose_nested(&scan.items)) {
            return verdict;
        }
        if !self.is_lenient() {
            return self.reject(text, &scan.items, &[]);
        }
        if let Some(verdict) = self.choose_respelled(text, scan) {
            return verdict;
        }
        match self.choose_repaired(text, scan) {
            Ok(verdict) => verdict,
            Err(readable) => self.reject(text, &scan.items, &readable),
        }
    }

    /// Values that stand in the text as they are.
    fn choose_direct(&self, items: &[Item]) -> Option<Verdict> {
        TEXT_SOURCES.into_iter().find_map(|source| {
            let mut tally = Tally::default();
            for value in free_values(items, source) {
                if self.passes(value) && !self.is_echo(value) {
                    tally.add(value, Vec::new);
                }
            }
            tally.verdict(source)
        })
    }

    /// Values that stand in the text inside wrappers. Strictly, only the arguments of a tool call are taken out of what is
    /// around them, because anything else is a repair of its shape; and among prose, where a schema may be told of,
    /// what stands in the place of its members.
    fn choose_nested(&self, items: &[Item]) -> Option<Verdict> {
        if !self.contract.options().extracts() {
            return None;
        }
        let mut passes = |value: &Value| {
            self.stands_for(value).is_some_and(|value| self.passes(&value) && !self.is_echo(&value))
        };
        TEXT_SOURCES.into_iter().find_map(|source| {
            let wrappers = match source {
                _ if self.is_lenient() => Wrappers::Any,
                Source::Prose => Wrappers::ToolCallsAndSchemas,
                _ => Wrappers::ToolCalls,
            };
            let mut tally = Tally::default();
            for value in free_values(items, source).filter(|value| !self.is_echo(value)) {
                let inside = nested::inside(self.facts(), value, wrappers, &mut passes);
                for inner in inside.into_iter().filter_map(|inner| self.stands_for(inner)) {
                    tally.add(&inner, || self.is_lenient().then(unwrapped).into_iter().collect());
                }
            }
            tally.verdict(source)
        })
    }
}

/// The values of a source that stand by themselves.
fn free_values(items: &[Item], source: Source) -> impl Iterator<Item = &Value> {
    let found =
        items.iter().filter(move |item| item.source == source).filter_map(|item| item.reading.as_ref().ok());
    found.filter(|found| found.setting == Setting::Free).map(|found| &found.value)
}

/// The whole text as the only candidate, behind the reasoning that may precede it.
fn whole_item(text: &str) -> Scan {
    let start = reasoning::skip_leading(text);
    let rest = text.get(start..).unwrap_or_default();
    if rest.trim().is_empty() {
        return Scan::default();
    }
    let range = start..text.trim_end().len();
    let reading = match parse::whole(rest) {
        Ok(value) => Ok(Found { value, range: range.clone(), setting: Setting::Free }),
        Err(fault) => Err(Fault { at: fault.at + start, ..fault }),
    };
    Scan { items: vec![Item { source: Source::Text, start, reading }], over_limit: false, rest: range }
}

fn accept(value: Value, repairs: Vec<Repair>, source: Source) -> Verdict {
    Verdict::Accepted(Accepted { value, repairs, source })
}

/// A value that was read and is not accepted.
fn read(value: Value) -> Candidate {
    Candidate { range: None, value: Some(value) }
}

fn unwrapped() -> Repair {
    Repair::of_whole(RepairKind::Unwrapped, "the value stood inside another")
}

/// The different values that pass in one source.
#[derive(Default)]
struct Tally {
    first: Option<(Value, Vec<Repair>)>,
    second: Option<Value>,
}

impl Tally {
    fn add(&mut self, value: &Value, repairs: impl FnOnce() -> Vec<Repair>) {
        match &self.first {
            None => self.first = Some((value.clone(), repairs())),
            Some((first, _)) if self.second.is_none() && !number::same(first, value) => {
                self.second = Some(value.clone());
            }
            Some(_) => {}
        }
    }

    fn verdict(self, source: Source) -> Option<Verdict> {
        match (self.first?, self.second) {
            ((value, repairs), None) => Some(accept(value, repairs, source)),
            ((first, _), Some(second)) => Some(report::ambiguous(&first, &second)),
        }
    }
}
