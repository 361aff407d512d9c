//! `accord schemas lower`: what a provider would be sent.

use std::fmt::Write as _;
use std::path::PathBuf;

use accord_contract::lower::{EnforcedBy, Loss, Lowered, lower};
use owo_colors::OwoColorize as _;
use serde::Serialize;

use super::compile;
use super::provider::{self, Provider};
use crate::document::Input;
use crate::excerpt::{visible, width};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::meter::{meter, too_much};
use crate::output;

/// Reduce a schema to what a provider supports, and list what it will not enforce
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The schema that would be sent to the provider goes to stdout, the omitted keywords go to stderr.
Answers are always validated against the full schema.
Exit codes: 0 the provider supports it, 1 it does not, or the file is invalid.

Examples:
  accord schemas lower --for openai report.schema.json > lowered.json
  accord schemas lower --for anthropic --json report.schema.json | jq .losses")]
pub(crate) struct Arguments {
    /// Provider to reduce the schema for
    #[arg(long = "for", value_name = "PROVIDER", value_parser = provider::parser())]
    provider: Provider,

    /// Schema file; '-' reads from stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print JSON: the schema, the losses, and why the provider rejects it, if it does
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct View<'a> {
    provider: &'a str,
    #[serde(flatten)]
    lowered: &'a Lowered,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let source = Input::of(Some(&arguments.file)).read()?;
    let Provider { name, profile } = &arguments.provider;
    let lowered = lower(&compile(&source)?, profile, &meter()).map_err(too_much("lower"))?;
    if arguments.json {
        output::json(&View { provider: name, lowered: &lowered })?;
    } else {
        output::pretty_json(&lowered.schema)?;
        if !lowered.losses.is_empty() {
            output::message(&table(&lowered.losses, &profile.title));
        }
    }
    if let Some(reason) = &lowered.refusal {
        Problem::new(format!("{} cannot be sent as a native schema: {reason}", source.name))
            .hint("the strategies tool and prompt still work; answers are validated the same way")
            .print();
        return Ok(Exit::Usage);
    }
    Ok(Exit::Success)
}

fn table(losses: &[Loss], title: &str) -> String {
    let head = ["path", "keyword", "enforced by", ""].map(str::to_owned);
    let rows: Vec<[String; 4]> = losses
        .iter()
        .map(|loss| {
            let place = if loss.pointer.is_empty() { "(root)" } else { loss.pointer.as_str() };
            let enforced_by = match loss.enforced_by {
                EnforcedBy::Validator => "validator",
                EnforcedBy::Prompt => "prompt, validator",
            };
            let detail = loss.detail.as_deref().unwrap_or_default();
            [visible(place), visible(&loss.keyword), enforced_by.to_owned(), visible(detail)]
        })
        .collect();
    let widths: [usize; 4] = std::array::from_fn(|column| {
        std::iter::once(&head)
            .chain(&rows)
            .filter_map(|row| row.get(column))
            .map(|cell| width(cell))
            .max()
            .unwrap_or(0)
    });
    let line = |row: &[String; 4]| {
        let mut text = String::from(" ");
        for (cell, column) in row.iter().zip(widths) {
            let _ = write!(text, " {cell}{} ", " ".repeat(column - width(cell)));
        }
        text.trim_end().to_owned()
    };
    let mut text = format!("{} {title} does not enforce these keywords:\n", "note:".yellow().bold());
    let _ = writeln!(text, "{}", line(&head).bold());
    for row in &rows {
        let _ = writeln!(text, "{}", line(row));
    }
    text
}
