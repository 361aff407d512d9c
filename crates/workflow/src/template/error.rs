//! Why a template cannot be used, in one line.

use std::fmt;

use minijinja::{Error, ErrorKind};

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TemplateError(String);

impl TemplateError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The same error, with its location in a document.
    pub(crate) fn within(self, location: impl fmt::Display) -> Self {
        Self(format!("{location}{self}"))
    }
}

impl std::error::Error for TemplateError {}

impl fmt::Display for TemplateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The library's error without its source excerpt.
impl From<Error> for TemplateError {
    fn from(error: Error) -> Self {
        let line = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
        let kind = match error.kind() {
            ErrorKind::UndefinedError => "it uses an undefined name".to_owned(),
            ErrorKind::OutOfFuel => "it takes too long".to_owned(),
            kind => kind.to_string(),
        };
        let detail = error.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
        Self(format!("{line}{kind}{detail}"))
    }
}
