//! House rules as checks. Each says where, which rule, and what to do instead.
//!
//! Only files that git tracks are looked at. A check is a function from the files to its findings, so that
//! each can be shown to fail on a made-up repository.

mod circles;
mod dependencies;
mod documents;
mod length;
mod lines;
mod manifest;
mod metered;
mod proofs;
mod purity;
mod repository;
mod scanned;
mod text;
mod wording;

use std::fmt;
use std::path::Path;

use anyhow::Result;

use repository::Repository;

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    file: String,
    line: usize,
    rule: &'static str,
    remedy: String,
}

impl Finding {
    fn new(file: &str, line: usize, rule: &'static str, remedy: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, rule, remedy: remedy.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}: {}", self.file, self.line, self.rule, self.remedy)
    }
}

const CHECKS: &[fn(&Repository) -> Vec<Finding>] = &[
    dependencies::directions,
    dependencies::placement,
    dependencies::purity,
    dependencies::lints,
    circles::check,
    purity::check,
    metered::check,
    scanned::check,
    length::check,
    text::code,
    text::doc_tests,
    text::paths,
    documents::module_docs,
    documents::decisions,
    documents::links,
    proofs::named,
    wording::check,
];

/// Whether all rules are kept. Prints what is not.
pub(crate) fn run() -> Result<bool> {
    let repository = Repository::tracked(Path::new("."))?;
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(&repository)).collect();
    findings.sort();
    findings.iter().for_each(|finding| println!("{finding}"));
    length::notes(&repository).iter().for_each(|note| println!("note: {note}"));
    println!("tidy: {} files, {} broken rule(s)", repository.files.len(), findings.len());
    Ok(findings.is_empty())
}

/// Prints how many lines of product code each crate has.
pub(crate) fn count_lines() -> Result<bool> {
    let repository = Repository::tracked(Path::new("."))?;
    let crates = lines::by_crate(&repository);
    crates.iter().for_each(|(name, lines)| println!("{lines:>7}  {name}"));
    println!("{:>7}  in all", crates.values().sum::<usize>());
    Ok(true)
}
