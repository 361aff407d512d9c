//! The result of one check.

use serde::Serialize;

use crate::view::Tone;
use crate::view::text::line;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Ok,
    Warn,
    Fail,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) status: Status,
    pub(super) message: String,
    pub(super) remedy: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, message: message.into(), remedy: None }
    }

    pub(super) fn warn(name: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, status: Status::Warn, message: message.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn fail(name: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, status: Status::Fail, message: message.into(), remedy: Some(remedy.into()) }
    }
}

pub(super) fn lines(checks: &[Check]) -> String {
    let mut text = String::new();
    for check in checks {
        let status = match check.status {
            Status::Ok => Tone::Good.paint("ok  "),
            Status::Warn => Tone::Warning.paint("warn"),
            Status::Fail => Tone::Bad.paint("fail"),
        };
        // The stderr of a program has several lines.
        let message: Vec<String> = check.message.lines().map(line).collect();
        text.push_str(&format!("{status}  {}: {}\n", check.name, message.join("\n      ")));
        if let Some(remedy) = &check.remedy {
            text.push_str(&format!("      {} {}\n", Tone::Busy.paint("hint:"), line(remedy)));
        }
    }
    text
}
