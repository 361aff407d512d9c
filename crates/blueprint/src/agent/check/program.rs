//! Checks the settings that all programs have. A runner rejects the same.

use std::collections::BTreeMap;

use accord_contract::JsonPath;

use super::executor::{at, not_empty};
use crate::finding::Findings;

/// A day.
const MOST_SECONDS: u64 = 24 * 60 * 60;

pub(super) fn command(command: &str, findings: &mut Findings) {
    not_empty("command", command, findings);
    no_nul(at("command"), command, findings);
}

pub(super) fn timeout(seconds: Option<u64>, findings: &mut Findings) {
    if let Some(seconds) = seconds.filter(|seconds| !(1..=MOST_SECONDS).contains(seconds)) {
        let message = format!("expected 1 to {MOST_SECONDS} seconds, got {seconds}");
        findings.error(at("timeout_seconds"), message);
    }
}

pub(super) fn arguments(arguments: &[String], findings: &mut Findings) {
    for (index, argument) in arguments.iter().enumerate() {
        no_nul(at("args").index(index), argument, findings);
    }
}

pub(super) fn variables(variables: &BTreeMap<String, String>, findings: &mut Findings) {
    for (name, value) in variables {
        let place = at("env").key(name);
        if !is_variable(name) {
            findings.error(place, "invalid environment variable name");
        } else {
            no_nul(place, value, findings);
        }
    }
}

/// Whether this can be the name of an environment variable.
pub(super) fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// Rejects a string that the program would parse as an option.
pub(super) fn no_option(place: JsonPath, text: &str, findings: &mut Findings) {
    no_nul(place.clone(), text, findings);
    if text.starts_with('-') {
        findings.error(place, format!("'{text}' would be parsed as an option: it cannot start with '-'"));
    }
}

pub(super) fn no_nul(place: JsonPath, text: &str, findings: &mut Findings) {
    if text.contains('\0') {
        findings.error(place, "a NUL character cannot be passed to a program; remove it");
    }
}
