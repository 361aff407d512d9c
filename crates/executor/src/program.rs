//! What the settings of all programs have in common, and the messages of their failures.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use crate::child::{is_scarce, no_nul, variable};
use crate::session::OpenError;
use crate::settings_error::SettingsError;

/// Long enough for any work that a caller waits for; more must be asked for.
pub(crate) const DEFAULT_SECONDS: u64 = 600;

/// A day. What takes longer is a service.
pub(crate) const MAX_SECONDS: u64 = 24 * 60 * 60;

/// `timeout_seconds`, within its bounds.
pub(crate) fn seconds(written: Option<u64>, default: u64) -> Result<u64, SettingsError> {
    match written.unwrap_or(default) {
        seconds @ 1..=MAX_SECONDS => Ok(seconds),
        other => Err(SettingsError::Seconds(other)),
    }
}

/// Whether a program can be started with these at all.
pub(crate) fn check(
    command: &str,
    arguments: &[String],
    env: &BTreeMap<String, String>,
) -> Result<(), SettingsError> {
    if command.trim().is_empty() {
        return Err(SettingsError::Empty("command"));
    }
    no_nul("command", command)?;
    arguments.iter().try_for_each(|argument| no_nul("args", argument))?;
    env.iter().try_for_each(variable)
}

/// The folder that a program starts in. It is not confined anyway, so that comparing real paths is enough: this guards
/// against mistakes. `wrong` says whose settings do not fit.
pub(crate) fn folder(
    project_dir: &Path,
    working_dir: Option<&Path>,
    wrong: impl Fn(String) -> OpenError,
) -> Result<PathBuf, OpenError> {
    let real = |path: &Path| {
        path.canonicalize().map_err(|error| {
            OpenError::Missing(format!("the folder {} cannot be used: {error}", path.display()))
        })
    };
    let project = real(project_dir)?;
    let folder = match working_dir {
        None => project.clone(),
        Some(relative) => real(&project.join(relative))?,
    };
    let shown = folder.display();
    if !folder.starts_with(&project) {
        return Err(wrong(format!(
            "`working_dir` is {shown}, outside of the project folder; use a folder inside it"
        )));
    }
    if !folder.is_dir() {
        return Err(wrong(format!("`working_dir` is {shown}, which is not a folder")));
    }
    Ok(folder)
}

/// Why a program could not be started, and what to do about it.
pub(crate) fn not_started(command: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound if command.contains('/') => {
            format!(
                "'{command}' not found: a path is relative to the working folder, and a script needs an existing interpreter"
            )
        }
        io::ErrorKind::NotFound if command.contains(char::is_whitespace) => {
            format!("'{command}' not found: put only the program into `command` and the rest into `args`")
        }
        io::ErrorKind::NotFound => format!(
            "'{command}' not found: install it, add its folder to the runner's PATH, or use its path (`./{command}` for a file in the project folder)"
        ),
        io::ErrorKind::PermissionDenied => {
            format!("'{command}' is not executable: run chmod +x")
        }
        _ => format!("'{command}' could not be started: {}", cause(error)),
    }
}

/// What the system says of a start that failed, with what to do where something has run out.
pub(crate) fn cause(error: &io::Error) -> String {
    match is_scarce(error) {
        true => format!(
            "{error}; raise the limits of the runner (ulimit -n for files, ulimit -u for processes), or lower its concurrency"
        ),
        false => error.to_string(),
    }
}

pub(crate) fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "exited for an unknown reason".to_owned(),
    }
}

/// A failure, with what the program wrote to stderr last.
pub(crate) fn with_stderr(what: &str, stderr: &str) -> String {
    match stderr.trim() {
        "" => format!("{what}; stderr is empty"),
        stderr => format!("{what}; last lines of stderr:\n{stderr}"),
    }
}

/// How a program failed, with what it wrote to stderr last.
pub(crate) fn failed(command: &str, how: &str, stderr: &str) -> String {
    with_stderr(&format!("'{command}' {how}"), stderr)
}
