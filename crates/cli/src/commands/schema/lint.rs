//! `accord schemas lint`: what will not work out as the schema's author expects.

use std::path::PathBuf;

use accord_contract::lint::{Finding, Severity, lint, lint_for};
use owo_colors::OwoColorize as _;
use serde::Serialize;

use super::compile;
use super::provider::{self, Provider};
use crate::document::{Input, Source};
use crate::excerpt::{Position, draw, visible};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::meter::meter;
use crate::output;

/// Report likely problems in a schema
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What a provider rejects or does not enforce is reported for the most common providers, or for the
one given with --provider. A schema that one provider rejects still works with others, so these
findings affect the exit code only with --provider.
Exit codes: 0 no errors, 1 an error, a warning with --deny-warnings, or an invalid file.

Examples:
  accord schemas lint schemas/*.json
  accord schemas lint --provider openai --deny-warnings report.schema.json")]
pub(crate) struct Arguments {
    /// Schema files; '-' reads from stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Report only what concerns this provider
    #[arg(long, value_name = "PROVIDER", value_parser = provider::parser())]
    provider: Option<Provider>,

    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How many findings of one file are shown: each comes with an excerpt, and more are too many to read.
const MOST_SHOWN: usize = 100;

#[derive(Serialize)]
struct Linted {
    valid: bool,
    files: Vec<FileView>,
}

#[derive(Serialize)]
struct FileView {
    file: String,
    findings: Vec<FindingView>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    #[serde(skip)]
    fails: bool,
    /// Why the file could not be linted.
    error: Option<Problem>,
}

#[derive(Serialize)]
struct FindingView {
    #[serde(flatten)]
    finding: Finding,
    line: usize,
    column: usize,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    for path in &arguments.files {
        let input = Input::of(Some(path));
        let file = input.name();
        match input.read().and_then(|source| Ok((compile(&source)?, source))) {
            Ok((schema, source)) => {
                let found = match &arguments.provider {
                    Some(provider) => lint_for(&schema, provider.profile, &meter()),
                    None => lint(&schema, &meter()),
                };
                let mut findings: Vec<Finding> =
                    found.into_iter().filter(|finding| arguments.concerns(finding)).collect();
                let fails = findings.iter().any(|finding| arguments.fails(finding));
                let more = findings.len().saturating_sub(MOST_SHOWN);
                findings.truncate(MOST_SHOWN);
                if !arguments.json {
                    output::show(&report(&source, &findings))?;
                    if more > 0 {
                        output::show(&format!("and {more} more findings in {}\n", visible(&source.name)))?;
                    }
                }
                let findings =
                    findings.into_iter().map(|finding| FindingView::new(&source, finding)).collect();
                files.push(FileView { file, findings, more, fails, error: None });
            }
            Err(problem) => {
                problem.print();
                files.push(FileView {
                    file,
                    findings: Vec::new(),
                    more: 0,
                    fails: true,
                    error: Some(problem),
                });
            }
        }
    }
    let valid = !files.iter().any(|file| file.fails);
    if arguments.json {
        output::json(&Linted { valid, files })?;
    }
    Ok(if valid { Exit::Success } else { Exit::Usage })
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Arguments {
    fn concerns(&self, finding: &Finding) -> bool {
        match (&finding.provider, &self.provider) {
            (Some(named), Some(wanted)) => *named == wanted.profile.name,
            _ => true,
        }
    }

    fn fails(&self, finding: &Finding) -> bool {
        let counts = finding.provider.is_none() || self.provider.is_some();
        match finding.severity {
            Severity::Error => counts,
            Severity::Warning => counts && self.deny_warnings,
            Severity::Info => false,
        }
    }
}

impl FindingView {
    fn new(source: &Source, finding: Finding) -> Self {
        let Position { line, column } = Position::of(&source.text, source.locate(&finding.pointer).start);
        Self { finding, line, column }
    }
}

fn report(source: &Source, findings: &[Finding]) -> String {
    if findings.is_empty() {
        return format!("{}  {}\n", "ok".green().bold(), visible(&source.name));
    }
    findings.iter().map(|finding| entry(source, finding)).collect()
}

fn entry(source: &Source, finding: &Finding) -> String {
    let Finding { rule, path, .. } = finding;
    let message = visible(&finding.message);
    let range = source.locate(&finding.pointer);
    match finding.severity {
        Severity::Error => {
            let head = format!("error[{rule}]:");
            format!("{} {message}\n{}\n", head.red().bold(), draw(source, range, Some(path)))
        }
        Severity::Warning => {
            let head = format!("warning[{rule}]:");
            format!("{} {message}\n{}\n", head.yellow().bold(), draw(source, range, Some(path)))
        }
        // There are many of these and nothing has to be done about them: a line each.
        Severity::Info => {
            let Position { line, column } = Position::of(&source.text, range.start);
            let head = format!("info[{rule}]:");
            format!("{} {message} ({}:{line}:{column})\n", head.cyan().bold(), visible(&source.name))
        }
    }
}
