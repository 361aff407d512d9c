//! What became of the inputs: a line of JSON for each, and the sum of them.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use accord_api::{Failure as RunFailure, FailureType, RunId, RunStatus, SessionId, Usage};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::inputs::{Inputs, Row};
use super::item::ItemOutcome;
use crate::excerpt::visible;
use crate::failure::{Failure, Problem};
use crate::output;
use crate::view::text::{self, line};

/// As much of an existing file is read as tells whether a batch wrote it.
const FIRST_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// One line of the results. The names are part of the API, and those of `accord run --json` where it has them too.
#[derive(Serialize)]
struct Record<'a> {
    line: u64,
    input: Option<&'a RawValue>,
    status: &'a str,
    result_text: Option<&'a str>,
    result_data: Option<&'a RawValue>,
    error: Option<Error<'a>>,
    run_id: Option<&'a RunId>,
    session_id: Option<&'a SessionId>,
    attempts: Option<u32>,
    usage: Usage,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Error<'a> {
    OfRun(&'a RunFailure),
    OfInput { r#type: &'static str, message: &'a str },
}

/// A line that is ready to be written, and its message.
pub(super) struct Done {
    pub(super) line: u64,
    pub(super) json: Vec<u8>,
    pub(super) status: Status,
    /// What kind of failure of a run it is.
    pub(super) kind: Option<FailureType>,
    /// Why it is not completed, in one line.
    pub(super) failure: Option<String>,
    pub(super) usage: Usage,
    pub(super) is_earlier: bool,
}

/// How an input ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Completed,
    Failed,
    Stopped,
}

impl Done {
    /// Nothing where the input was not asked for.
    pub(super) fn new(row: &Row, end: &ItemOutcome) -> io::Result<Option<Self>> {
        let empty = Record {
            line: row.line,
            input: row.written.as_deref(),
            status: "failed",
            result_text: None,
            result_data: None,
            error: None,
            run_id: None,
            session_id: None,
            attempts: None,
            usage: Usage::default(),
        };
        let wrong = |message: &str| {
            let error = Error::OfInput { r#type: "invalid_input", message };
            let failure = Some(format!("invalid_input: {}", line(message)));
            let json = written(&Record { error: Some(error), ..empty })?;
            let usage = Usage::default();
            let status = Status::Failed;
            Ok(Some(Self { line: row.line, json, status, kind: None, failure, usage, is_earlier: false }))
        };
        let (run, is_earlier) = match (end, &row.parameters) {
            (ItemOutcome::Refused(message), _) | (ItemOutcome::NotAsked, Err(message)) => {
                return wrong(message);
            }
            (ItemOutcome::NotAsked, Ok(_)) => return Ok(None),
            (ItemOutcome::Run { run, is_earlier }, _) => (run, *is_earlier),
        };
        let validation = run.result.as_ref().and_then(|result| result.schema_validation.as_ref());
        let attempts = validation.map(|validation| validation.attempts);
        let record = Record {
            status: run.status.as_str(),
            result_text: run.result.as_ref().and_then(|result| result.result_text.as_deref()),
            result_data: run.result.as_ref().and_then(|result| result.result_data.as_deref()),
            error: run.error.as_ref().map(Error::OfRun),
            run_id: Some(&run.run_id),
            session_id: Some(&run.session_id),
            attempts: attempts.or_else(|| run.error.as_ref()?.attempts),
            usage: run.usage,
            ..empty
        };
        let status = match run.status {
            RunStatus::Completed => Status::Completed,
            RunStatus::Stopped => Status::Stopped,
            _ => Status::Failed,
        };
        let failure = run.error.as_ref().map(in_one_line);
        let kind = run.error.as_ref().map(|error| error.kind);
        let json = written(&record)?;
        Ok(Some(Self { line: row.line, json, status, kind, failure, usage: run.usage, is_earlier }))
    }
}

/// Why a run failed, with the first field that is wrong.
fn in_one_line(error: &RunFailure) -> String {
    let first = error.message.lines().next().unwrap_or_default();
    let text = format!("{}: {}", error.kind.as_str(), line(first));
    match error.validation_errors.first() {
        Some(field) if !first.contains(field.as_str()) => format!("{text}: {}", line(field)),
        _ => text,
    }
}

fn written(record: &Record<'_>) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(record)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Where lines go: stdout, or a file that is emptied when the first of them comes.
pub(super) enum Sink {
    Stdout,
    File { path: PathBuf, file: File, is_fresh: bool },
}

impl Sink {
    /// Makes sure that the file can be written before anything is run, and that nothing is lost with what it has.
    pub(super) fn open(path: &Path, inputs: &Inputs) -> Result<Self, Problem> {
        let name = path.display();
        if inputs.is_file(path) {
            return Err(Problem::new(format!("{name} is the file with the inputs"))
                .hint("write the results to another file"));
        }
        if path.is_file() && !is_of_batch(path) {
            let problem =
                Problem::new(format!("{name} already exists and was not written by `accord batch`"));
            return Err(problem.hint("pass another file, or remove this one"));
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|error| Problem::new(format!("cannot write {name}: {error}")))?;
        Ok(Self::File { path: path.to_owned(), file, is_fresh: true })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            // On a terminal, control characters are escaped; JSON allows some of them.
            Self::Stdout if output::stdout_is_terminal() => {
                Ok(output::data(visible(&String::from_utf8_lossy(bytes)).as_bytes())?)
            }
            Self::Stdout => Ok(output::data(bytes)?),
            Self::File { path, file, is_fresh } => {
                let emptied = if *is_fresh { file.set_len(0) } else { Ok(()) };
                *is_fresh = false;
                emptied
                    .and_then(|()| file.write_all(bytes))
                    .map_err(|error| Problem::new(format!("cannot write {}: {error}", path.display())).into())
            }
        }
    }

    /// Empties the file where no line came.
    pub(super) fn end(&mut self) -> Result<(), Failure> {
        if let Self::File { is_fresh: true, .. } = self { self.write(&[]) } else { Ok(()) }
    }
}

/// Whether a file is empty or its first line is a result: the same command writes it again.
fn is_of_batch(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return true };
    let mut first = Vec::new();
    if BufReader::new(file).take(FIRST_LINE_BYTES).read_until(b'\n', &mut first).is_err() {
        return false;
    }
    // A command that was killed may have left half a line.
    first.is_empty()
        || first.starts_with(b"{\"line\":")
        || serde_json::from_slice::<Value>(&first)
            .is_ok_and(|record| record.get("line").is_some() && record.get("run_id").is_some())
}

/// The sum of the inputs.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(super) struct Tally {
    pub(super) inputs: u64,
    pub(super) completed: u64,
    pub(super) failed: u64,
    pub(super) stopped: u64,
    /// How many of these an earlier command has finished.
    pub(super) finished_earlier: u64,
    pub(super) usage: Usage,
    /// Why the batch ended before all inputs were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stopped_early: Option<String>,
}

impl Tally {
    pub(super) fn add(&mut self, done: &Done) {
        match done.status {
            Status::Completed => self.completed += 1,
            Status::Failed => self.failed += 1,
            Status::Stopped => self.stopped += 1,
        }
        self.finished_earlier += u64::from(done.is_earlier);
        self.usage = self.usage.and(done.usage);
    }

    pub(super) fn finished(&self) -> u64 {
        self.completed + self.failed + self.stopped
    }

    /// In words: "12 inputs: 10 completed, 2 failed; 4 finished earlier; 1.2k in, 300 out".
    pub(super) fn words(&self) -> String {
        let mut parts = vec![format!("{} completed", self.completed)];
        let more = [("failed", self.failed), ("stopped", self.stopped)];
        parts.extend(more.iter().filter(|(_, many)| *many > 0).map(|(word, many)| format!("{many} {word}")));
        let mut text = format!("{}: {}", text::counted(self.inputs, "input"), parts.join(", "));
        if self.finished_earlier > 0 {
            text.push_str(&format!("; {} finished earlier", self.finished_earlier));
        }
        let used = text::usage(&self.usage);
        if !used.is_empty() {
            text.push_str(&format!("; {used}"));
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        json!(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_omits_zero_counts() {
        let usage = Usage { input_tokens: 10, output_tokens: 2, cost_usd: None };
        let tally = Tally { inputs: 12, completed: 12, ..Tally::default() };
        assert_eq!(tally.words(), "12 inputs: 12 completed");
        let tally = Tally {
            inputs: 12,
            completed: 9,
            failed: 2,
            stopped: 1,
            finished_earlier: 4,
            usage,
            stopped_early: None,
        };
        assert_eq!(
            tally.words(),
            "12 inputs: 9 completed, 2 failed, 1 stopped; 4 finished earlier; 10 in, 2 out"
        );
    }

    #[test]
    fn a_failure_names_the_first_field_that_is_wrong() {
        let failure = |message: &str| RunFailure {
            validation_errors: vec!["$.n: expected integer, got null".to_owned(), "$.m: missing".to_owned()],
            ..RunFailure::new(FailureType::SchemaValidationFailed, message)
        };
        let expected = "schema_validation_failed: no: $.n: expected integer, got null";
        assert_eq!(in_one_line(&failure("no\nmore")), expected);
        assert_eq!(in_one_line(&failure("no: $.n: expected integer, got null")), expected);
    }

    #[test]
    fn only_results_are_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (text, expected) in [
            ("", true),
            ("{\"line\":1,\"input\":null", true),
            ("{\"run_id\": null, \"line\": 1}\n", true),
            ("{\"text\": \"an input\"}\n", false),
            ("notes", false),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(is_of_batch(&path), expected, "{text}");
        }
    }
}
