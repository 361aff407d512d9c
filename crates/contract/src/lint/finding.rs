//! One finding.

use serde::Serialize;

use crate::json_path::JsonPath;

/// Something doubtful about a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The name of the rule, in kebab case.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The place in the schema document as RFC 6901 writes it.
    pub pointer: String,
    /// The place in the schema document as people write it.
    pub path: String,
    /// What is found, why it matters and what to do instead.
    pub message: String,
    /// The profile that it concerns; `None` if it concerns all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// How bad a finding is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// No value conforms, or a provider refuses it.
    Error,
    /// It does nothing, or not what it seems.
    Warning,
    /// Good to know.
    Info,
}

impl Finding {
    pub(super) fn new(
        rule: &'static str,
        severity: Severity,
        place: &JsonPath,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            severity,
            pointer: place.pointer(),
            path: place.path(),
            message: message.into(),
            provider: None,
        }
    }

    pub(super) fn error(rule: &'static str, place: &JsonPath, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Error, place, message)
    }

    pub(super) fn warning(rule: &'static str, place: &JsonPath, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Warning, place, message)
    }

    pub(super) fn info(rule: &'static str, place: &JsonPath, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Info, place, message)
    }

    pub(super) fn of_provider(mut self, name: &str) -> Self {
        self.provider = Some(name.to_owned());
        self
    }
}
