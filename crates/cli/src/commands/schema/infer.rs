//! `accord schemas infer`: a schema from examples.

use std::path::PathBuf;

use accord_contract::{Inference, Openness};
use serde_json::{Value, json};

use crate::document::Input;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::json::{parse, reason};
use crate::lines::{Content, Line, Lines, MAX_LINE_BYTES};
use crate::meter::{meter, too_much};
use crate::output;

/// Infer a schema from example documents
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All examples are valid against the inferred schema. Properties that occur in every example are
required. Strings that are all dates, times, UUIDs, e-mail addresses or URLs get a format. With 20
or more examples, strings with few distinct values become an enum. Review the schema before you use
it.

Examples:
  accord schemas infer examples/*.json > report.schema.json
  accord schemas infer --jsonl --closed < answers.jsonl")]
pub(crate) struct Arguments {
    /// Example documents, one per file; '-' or nothing reads from stdin
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Read one example per line
    #[arg(long)]
    jsonl: bool,

    /// Reject properties that occur in no example ('additionalProperties': false)
    #[arg(long)]
    closed: bool,

    /// Print JSON with the schema and the number of examples
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut inputs: Vec<Input> = arguments.files.iter().map(|path| Input::of(Some(path))).collect();
    if inputs.is_empty() {
        inputs.push(Input::Stdin);
    }
    let mut inference = Inference::new();
    for input in &inputs {
        if arguments.jsonl {
            observe_lines(input, &mut inference)?;
        } else {
            inference.observe(&input.read()?.json("example")?, &meter()).map_err(too_much("infer"))?;
        }
    }
    if inference.examples() == 0 {
        return Err(Problem::new("no examples found")
            .hint("pass files, or one example per line with --jsonl")
            .into());
    }
    let openness = if arguments.closed { Openness::Closed } else { Openness::Open };
    let schema = inference.schema(openness, &meter()).map_err(too_much("infer"))?;
    if arguments.json {
        output::json(&json!({ "schema": schema, "examples": inference.examples() }))?;
    } else {
        output::pretty_json(&schema)?;
    }
    Ok(Exit::Success)
}

/// One line at a time, so that the number of examples does not matter. A line that is no JSON ends the
/// inference: a schema from half of the examples would look like one from all.
fn observe_lines(input: &Input, inference: &mut Inference) -> Result<(), Problem> {
    let mut lines = Lines::new(input.open()?, MAX_LINE_BYTES);
    loop {
        let batch = lines.batch().map_err(|error| input.unreadable(&error))?;
        if batch.is_empty() {
            return Ok(());
        }
        for line in batch {
            let place = format!("{}:{}", input.name(), line.number);
            inference.observe(&example(line, &place)?, &meter()).map_err(too_much(&place))?;
        }
    }
}

fn example(line: Line, place: &str) -> Result<Value, Problem> {
    let Content::Whole(bytes) = line.content else {
        return Err(Problem::new(format!("{place} is longer than {MAX_LINE_BYTES} bytes")));
    };
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        Problem::new(format!("{place} is not UTF-8 at byte {} of the line", error.valid_up_to()))
    })?;
    parse(text).map_err(|error| {
        Problem::new(format!("{place}:{} is not valid JSON: {}", error.column(), reason(&error)))
            .hint("with --jsonl, each line is one example; omit it for files with a single example")
    })
}
