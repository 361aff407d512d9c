//! Texts that are read otherwise than they stand, once: without the marks of their lines, with marks of the usual width, or
//! with brackets that they lack.

mod brace;
mod lines;
mod plain_list;
mod width;

use std::cell::OnceCell;

use super::{Judge, Spelling, accept};
use crate::scan::Scan;
use crate::verdict::{Accepted, Answer, Repair, RepairKind, Verdict};

impl Judge<'_> {
    /// The verdict on a text whose lines are marked, without the marks: between the items of a list they look like items, so
    /// it is never read with them. Or on one that lacks brackets or has others, if it conforms with those of JSON.
    pub(super) fn choose_respelled(&self, text: &str, scan: &Scan) -> Option<Verdict> {
        if self.spelling == Spelling::Changed || !self.contract.options().extracts() {
            return None;
        }
        if let Some(plain) = lines::unmarked(text) {
            let verdict =
                self.respelled(&plain, RepairKind::StrayText, "the marks of its lines were left out");
            return Some(verdict.unwrap_or_else(|| self.reject(text, &scan.items, &[])));
        }
        let with_brace = || {
            let opened = brace::opened(text, scan.rest.clone())?;
            self.respelled(&opened, RepairKind::Bracket, "its first brace was missing")
        };
        let with_narrow_marks = || {
            let narrowed = width::narrowed(text)?;
            self.respelled(&narrowed, RepairKind::Bracket, "it was written with wide marks").filter(is_sure)
        };
        let with_brackets = || {
            let list = plain_list::bracketed(text, scan.rest.clone()).filter(|_| self.facts().list)?;
            self.respelled(&list, RepairKind::Bracket, "it was a list without square brackets")
                .filter(is_sure)
        };
        with_brace().or_else(with_narrow_marks).or_else(with_brackets)
    }

    /// What a text is accepted as if it is spelled so.
    fn respelled(&self, text: &str, kind: RepairKind, detail: &str) -> Option<Verdict> {
        let answer = Answer { text, structured: None, ..self.answer };
        let judge =
            Judge { answer, contract: self.contract, facts: OnceCell::new(), spelling: Spelling::Changed };
        let Verdict::Accepted(Accepted { value, mut repairs, source }) = judge.text() else { return None };
        repairs.insert(0, Repair::of_whole(kind, detail));
        Some(accept(value, repairs, source))
    }
}

/// Whether a respelled text was read without any other damage but quotes and literals of other languages.
fn is_sure(verdict: &Verdict) -> bool {
    let is_sure = |repair: &Repair| matches!(repair.kind, RepairKind::Quotes | RepairKind::Literal);
    matches!(verdict, Verdict::Accepted(accepted) if accepted.repairs.iter().skip(1).all(is_sure))
}
