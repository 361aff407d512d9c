//! Why a command failed, and the one place that reports it.

use std::io;
use std::ops::Range;

use accord_api::{ErrorBody, ErrorName};
use owo_colors::OwoColorize as _;
use serde::Serialize;
use serde_json::{Value, json};

use crate::document::Source;
use crate::excerpt::{Position, draw, visible};
use crate::exit::Exit;
use crate::output;

/// What ends a command early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something that the user can put right.
    Problem(Problem),
    /// A server, a model or a command that failed; the user has nothing to put right in the request.
    Remote(Problem),
    /// stdout cannot be written to.
    Output(io::Error),
}

/// What is wrong, with the value, and the remedy.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    message: String,
    hint: Option<String>,
    place: Option<Box<Spot>>,
    #[serde(flatten)]
    answer: Option<Box<Answer>>,
}

/// The fields of a coordinator's error that programs read.
#[derive(Debug, Serialize)]
struct Answer {
    name: String,
    status_code: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
}

/// Where it is; and the drawing of it for people.
#[derive(Debug, Serialize)]
struct Spot {
    file: String,
    line: usize,
    column: usize,
    path: Option<String>,
    pointer: Option<String>,
    #[serde(skip)]
    drawing: String,
}

impl Problem {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, place: None, answer: None }
    }

    /// What to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The coordinator's error that it is.
    pub(crate) fn answered(mut self, body: &ErrorBody) -> Self {
        let ErrorBody { error, status_code, details, .. } = body.clone();
        self.answer = Some(Box::new(Answer { name: error, status_code, details }));
        self
    }

    /// Where in a text it is.
    pub(crate) fn at(mut self, source: &Source, range: Range<usize>) -> Self {
        self.place = Some(Box::new(Spot::new(source, range, None)));
        self
    }

    /// The part of a document that is wrong; marked in the text.
    pub(crate) fn at_part(mut self, source: &Source, path: &str, pointer: &str) -> Self {
        self.place = Some(Box::new(Spot::new(source, source.locate(pointer), Some((path, pointer)))));
        self
    }

    /// Whether it is this error of the coordinator.
    pub(crate) fn is(&self, name: ErrorName) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.name == name.as_str())
    }

    /// What is wrong, and what to do about it.
    pub(crate) fn into_parts(self) -> (String, Option<String>) {
        (self.message, self.hint)
    }

    /// Prints it on stderr.
    pub(crate) fn print(&self) {
        let mut text = format!("{} {}\n", "error:".red().bold(), visible(&self.message));
        text.push_str(self.place.as_deref().map_or("", |place| place.drawing.as_str()));
        if let Some(hint) = &self.hint {
            text.push_str(&format!("{} {}\n", "hint:".cyan().bold(), visible(hint)));
        }
        output::message(&text);
    }
}

impl Spot {
    fn new(source: &Source, range: Range<usize>, part: Option<(&str, &str)>) -> Self {
        let Position { line, column } = Position::of(&source.text, range.start);
        Self {
            file: source.name.clone(),
            line,
            column,
            path: part.map(|(path, _)| path.to_owned()),
            pointer: part.map(|(_, pointer)| pointer.to_owned()),
            drawing: draw(source, range, part.map(|(path, _)| path)),
        }
    }
}

impl Failure {
    /// The problem, unless stdout failed.
    pub(crate) fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) | Self::Remote(problem) => Some(problem),
            Self::Output(_) => None,
        }
    }

    /// The same, to keep.
    pub(crate) fn into_problem(self) -> Option<Problem> {
        match self {
            Self::Problem(problem) | Self::Remote(problem) => Some(problem),
            Self::Output(_) => None,
        }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Only writing to stdout gives a bare I/O error; reading adds the name of the file.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Reports a failure; with `--json` on stdout too, if nothing was written there yet. A closed
/// stdout is not reported, because the reader closed it on purpose.
pub(crate) fn report(failure: Failure, as_json: bool) -> Exit {
    let print = |problem: &Problem| {
        problem.print();
        if as_json && !output::has_data() {
            // If stdout is closed, the error goes to stderr.
            let _ = output::json(&json!({"error": problem}));
        }
    };
    match failure {
        Failure::Problem(problem) => {
            print(&problem);
            Exit::Usage
        }
        Failure::Remote(problem) => {
            print(&problem);
            Exit::Failed
        }
        Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Stopped,
        Failure::Output(error) => {
            Problem::new(format!("cannot write to stdout: {error}")).print();
            Exit::Usage
        }
    }
}
