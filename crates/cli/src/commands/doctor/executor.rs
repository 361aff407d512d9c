//! `accord doctor --executor`: whether a program speaks the executor protocol.

use std::path::Path;

use accord_contract::lower::Profile;
use accord_executor::{Conformance, Finding, Verdict};
use serde::Serialize;
use serde_json::json;

use super::check::{Check, Status, lines};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::{output, progress, runtime};

/// Where the protocol is described.
const GUIDE: &str = "see the guide \"External executors\" for the protocol";

/// What starts the command, with its arguments.
const SHELL: &str = "sh";

#[derive(Serialize)]
struct Report<'a> {
    ok: bool,
    executor: &'a str,
    checks: Vec<Check>,
}

pub(super) fn run(command: &str, seconds: u64, project: &Path, as_json: bool) -> Result<Exit, Failure> {
    let settings = json!({
        "type": "external", "command": SHELL, "args": ["-c", command], "timeout_seconds": seconds,
    });
    let conformance = Conformance::new(&settings, project.to_owned(), std::env::vars_os())
        .map_err(|error| Problem::new(error.to_string()))?;
    // A program that hangs is waited for several times.
    let waiting = progress::spinner();
    if let Some(bar) = &waiting {
        bar.set_message(format!("testing the program, up to {seconds} seconds per answer ·"));
    }
    let findings = runtime::block_on(async { Ok(conformance.examine().await) });
    if let Some(bar) = waiting {
        bar.finish_and_clear();
    }
    let findings = findings?;
    let checks: Vec<Check> = findings.into_iter().map(|finding| check(finding, command)).collect();
    let ok = checks.iter().all(|check| check.status != Status::Fail);
    let report = Report { ok, executor: command, checks };
    if as_json {
        output::json(&report)?;
    } else {
        output::show(&lines(&report.checks))?;
    }
    Ok(if ok { Exit::Success } else { Exit::Usage })
}

fn check(finding: Finding, command: &str) -> Check {
    let Finding { check, verdict, message, profile } = finding;
    // The shell that starts the command is ours, not the user's.
    let message = message.replace(&format!("'{SHELL}'"), &format!("'{command}'"));
    if let Some(unknown) = profile.filter(|name| Profile::named(name).is_none()) {
        let known: Vec<&str> = Profile::all().iter().map(|profile| profile.name.as_str()).collect();
        let remedy = format!("use true, false or one of {}", known.join(", "));
        return Check::fail(check, format!("unknown native_schema '{unknown}'"), remedy);
    }
    match verdict {
        Verdict::Passed => Check::ok(check, message),
        Verdict::Skipped => Check::ok(check, format!("skipped: {message}")),
        Verdict::Doubtful => Check::warn(check, message, GUIDE),
        Verdict::Failed => Check::fail(check, message, GUIDE),
    }
}
