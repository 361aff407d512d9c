//! `accord check`: judge a text, or a stream of them, against a schema.

mod cache;
mod explain;
mod report;
mod request;
mod single;
mod stream;
mod view;

use std::path::PathBuf;

use accord_api::ExtractJson;
use accord_contract::{Extract, Invariant, Invariants, Mode, Options, Schema};
use clap::ValueEnum;

use crate::document::Input;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};

/// Validate a text against a schema: it must contain exactly one conforming value
#[derive(Debug, clap::Args)]
#[command(after_help = "\
On a terminal a report is shown; in a pipe, or with --json, stdout gets one JSON object:
  {\"valid\", \"value\", \"errors\": [{\"path\", \"pointer\", \"keyword\", \"message\"}],
   \"repairs\": [{\"kind\", \"path\", \"detail\"}], \"outcome\", \"source\", \"more_errors\"}
and the report of a rejected text goes to stderr.
With --explain the text is shown with what each byte is, in a pipe too, and with --json the object
gets \"account\": [{\"start\", \"end\", \"line\", \"column\", \"kind\", \"repair\"}].
Exit codes: 0 valid, 1 invalid file or flag, 2 contract not met.

With --jsonl each input line is a request {\"id\", \"text\", \"schema\", \"mode\"} and gets one output
line {\"id\", \"valid\", \"value\", \"errors\", \"repairs\", …}, in order, as soon as it is ready.
'schema' and 'mode' default to --schema and --mode; other fields are ignored. Invalid lines produce
an error line (keyword 'input' or 'schema'); blank lines are skipped, lines over 16 MiB rejected.
Exit codes: 0 all valid, 1 an invalid line, 2 a text does not conform.

Examples:
  accord check --schema report.schema.json answer.txt
  accord check --schema report.schema.json --mode lenient --explain answer.txt
  some-model | accord check --schema report.schema.json --mode lenient --json | jq .value
  accord check --jsonl --schema report.schema.json < answers.jsonl > verdicts.jsonl")]
pub(crate) struct Arguments {
    /// JSON Schema file that the value must conform to; '-' reads it from stdin
    #[arg(long, value_name = "FILE", required_unless_present = "jsonl")]
    schema: Option<PathBuf>,

    /// Whether to repair damaged JSON: strict (no) or lenient (lossless repairs only) [default: strict]
    #[arg(long, value_enum, value_name = "MODE")]
    mode: Option<ModeName>,

    /// File with additional rules: a JSON list of {"rule": CEL, "message": text}
    #[arg(long, value_name = "FILE")]
    invariants: Option<PathBuf>,

    /// JSON document that rules refer to as 'input'
    #[arg(long, value_name = "FILE", requires = "invariants", conflicts_with = "jsonl")]
    input: Option<PathBuf>,

    /// Reject any text around the value
    #[arg(long)]
    strict_json_only: bool,

    /// Do not extract the value from code fences, tags or prose
    #[arg(long)]
    no_extract: bool,

    /// Accept the value only from here, besides alone: fence, prose, or both [default: both]
    #[arg(long, value_name = "FROM", conflicts_with = "no_extract")]
    extract: Option<ExtractJson>,

    /// Show what each byte of the text is: value, structure, repair, prose, …
    #[arg(long, conflicts_with = "jsonl")]
    explain: bool,

    /// Read one request per line, print one result per line
    #[arg(long)]
    jsonl: bool,

    /// Print JSON on a terminal too
    #[arg(long)]
    json: bool,

    /// Text to validate; '-' or nothing reads from stdin
    #[arg(value_name = "FILE")]
    text: Option<PathBuf>,
}

/// The modes as they are written on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModeName {
    Strict,
    Lenient,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Strict => Self::Strict,
            ModeName::Lenient => Self::Lenient,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.jsonl { stream::run(arguments) } else { single::run(arguments) }
}

impl Arguments {
    fn text(&self) -> Input {
        Input::of(self.text.as_deref())
    }

    fn options(&self) -> Options {
        let extract = self.extract.map(|ExtractJson { fence, prose }| Extract { fence, prose });
        Options {
            extract_json: if self.no_extract { Extract::NONE } else { extract.unwrap_or(Extract::ALL) },
            strict_json_only: self.strict_json_only,
            mode: self.mode.map(Mode::from).unwrap_or_default(),
            ..Options::default()
        }
    }

    fn compile_schema(&self) -> Result<Option<Schema>, Problem> {
        let Some(path) = &self.schema else { return Ok(None) };
        let input = Input::of(Some(path));
        if input == Input::Stdin && self.text() == Input::Stdin {
            let problem = Problem::new("both the schema and the text would be read from stdin");
            return Err(problem.hint("name a file for one of them"));
        }
        super::schema::compile(&input.read()?).map(Some)
    }

    fn compile_invariants(&self) -> Result<Invariants, Problem> {
        let Some(path) = &self.invariants else { return Ok(Invariants::default()) };
        let source = Input::of(Some(path)).read()?;
        let rules: Vec<Invariant> =
            serde_json::from_value(source.json("list of invariants")?).map_err(|error| {
                Problem::new(format!("{} is no list of invariants: {error}", source.name))
                    .hint(r#"write [{"rule": "output.total >= 0", "message": "the total is negative"}]"#)
            })?;
        Invariants::compile(&rules).map_err(|error| {
            let message = format!("{}: the rule at index {}: {}", source.name, error.index, error.message);
            Problem::new(message).at(&source, source.locate(&format!("/{}/rule", error.index)))
        })
    }
}
