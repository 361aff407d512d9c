//! `accord schema infer`: a schema from examples.

use std::path::PathBuf;

use accord_contract::{Inference, Openness};
use serde_json::{Value, json};

use crate::document::Input;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::json::{parse, reason};
use crate::lines::{Content, Line, Lines, MAX_LINE_BYTES};
use crate::output;

/// Infer a schema from example documents
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every example is valid against the schema that is printed. Members that all examples have are
required; strings that all are dates, times, UUIDs, e-mail or web addresses get a format; a few
strings that keep coming back become an enum once there are 20 of them. Read it before you rely
on it: examples show what happened, not what is allowed.

Examples:
  accord schema infer examples/*.json > report.schema.json
  accord schema infer --jsonl --closed < answers.jsonl")]
pub(crate) struct Arguments {
    /// The example documents, one a file; '-' or nothing reads from stdin
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Take each line as one example
    #[arg(long)]
    jsonl: bool,

    /// Refuse members that no example has ('additionalProperties': false)
    #[arg(long)]
    closed: bool,

    /// Print one JSON object with the schema and the number of examples
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
            inference.observe(&input.read()?.json("example")?);
        }
    }
    if inference.examples() == 0 {
        return Err(Problem::new("there are no examples to infer from")
            .hint("each line is one example")
            .into());
    }
    let schema = inference.schema(if arguments.closed { Openness::Closed } else { Openness::Open });
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
            inference.observe(&example(line, &place)?);
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
        Problem::new(format!("{place}:{} is not JSON: {}", error.column(), reason(&error)))
            .hint("with --jsonl each line is one whole example; leave it out for a file with one example")
    })
}
