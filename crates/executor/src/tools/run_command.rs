//! `run_command`: a shell command in the project folder.
//!
//! It reads and writes the project folder and a temporary one of its own, and reads what programs need; no other file is
//! within its reach, unless the runner's settings say so. It sees the variables of Accord without those that look like
//! secrets, and nothing that it starts outlives it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use crate::child::{self, Capture, ChildEnd, Environment, Finished, Overflow, Plan, Sandbox};
use crate::cli::Scratch;
use crate::program;
use crate::session::OpenError;
use crate::toolbox::ToolOutput;

/// Enough for a build or the tests of a small project.
const DEFAULT_SECONDS: u64 = 120;

/// A command that takes longer blocks a turn without need.
const MAX_SECONDS: u64 = 600;

/// How much of each stream is shown, from its beginning and its end, where compilers and tests print what matters.
const SHOWN_BYTES: usize = 12 * 1024;

/// The system takes no longer argument.
const MAX_COMMAND_BYTES: usize = 100 * 1024;

/// What commands see, and what they reach besides the project folder.
#[derive(Debug, Default)]
pub(super) struct Commands {
    pub(super) environment: Environment,
    pub(super) folders: Vec<PathBuf>,
}

impl Commands {
    /// Whether they may be run at all.
    pub(super) fn check(&self) -> Result<(), OpenError> {
        if self.reach_everything() {
            return Ok(());
        }
        confined(std::env::consts::OS, child::available())?;
        for folder in &self.folders {
            folder.metadata().map_err(|error| {
                let folder = folder.display();
                OpenError::Settings(format!("invalid folder '{folder}' in runner.command_folders: {error}"))
            })?;
        }
        Ok(())
    }

    fn reach_everything(&self) -> bool {
        self.folders.iter().any(|folder| folder == Path::new("/"))
    }

    fn get(&self, wanted: &str) -> Option<&OsString> {
        self.environment.iter().find(|(name, _)| name == wanted).map(|(_, value)| value)
    }

    fn sandbox(&self, project_dir: &Path, scratch: &Scratch) -> Sandbox {
        let own = [project_dir.to_owned(), scratch.path().to_owned()];
        let folders = own.into_iter().chain(self.folders.iter().cloned()).collect();
        Sandbox::around(folders, self.get("PATH").map(OsString::as_os_str))
    }

    /// Variables that name a folder outside of the sandbox name the temporary folder instead.
    fn redirect(&self, shell: &mut Command, scratch: &Scratch) {
        shell.env("TMPDIR", scratch.path());
        let home = Path::new(self.get("HOME").map_or(OsStr::new("/"), OsString::as_os_str));
        if !self.folders.iter().any(|folder| folder.starts_with(home) || home.starts_with(folder)) {
            shell.env("HOME", scratch.path());
        }
    }
}

/// Refuses commands that would reach everything although nobody has said so.
fn confined(system: &str, sandbox: io::Result<()>) -> Result<(), OpenError> {
    let Err(error) = sandbox else { return Ok(()) };
    let why = match system {
        "linux" => format!("that requires Linux 6.2 with Landlock ({error})"),
        "macos" => "Accord confines commands with Landlock, which macOS does not have".to_owned(),
        other => format!("Accord confines commands with Landlock, which {other} does not have"),
    };
    Err(OpenError::Settings(format!(
        "`run_command` cannot be confined to the project folder here: {why}. Set runner.command_folders to [\"/\"] to let commands access everything, or remove the tool from `tools`"
    )))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    command: String,
    timeout_seconds: Option<u64>,
}

pub(super) fn spec() -> (String, Value) {
    let description = format!(
        "Runs a command with sh in the project folder and returns its exit code and output. Files elsewhere may be inaccessible; $TMPDIR is empty and removed afterwards. There is no stdin and no terminal. Background processes are killed when the command finishes. For long output only the beginning and the end are returned ({} KiB each).",
        SHOWN_BYTES / 1024
    );
    let seconds = format!("Timeout in seconds; null for {DEFAULT_SECONDS}, at most {MAX_SECONDS}");
    let properties = json!({
        "command": {"type": "string", "description": "The command, as for sh -c"},
        "timeout_seconds": {"type": ["integer", "null"], "description": seconds},
    });
    (description, properties)
}

pub(super) async fn run(
    project_dir: &Path,
    commands: &Commands,
    arguments: Arguments,
    cancel: &CancellationToken,
) -> ToolOutput {
    let Arguments { command, timeout_seconds } = arguments;
    if let Some(text) = unusable(&command) {
        return ToolOutput { ok: false, text };
    }
    let seconds = timeout_seconds.unwrap_or(DEFAULT_SECONDS).clamp(1, MAX_SECONDS);
    match start(project_dir, commands, &command, seconds, cancel).await {
        Ok(finished) => report(finished, seconds),
        Err(error) => {
            let text = format!("the command could not be started: {}", program::cause(&error));
            ToolOutput { ok: false, text }
        }
    }
}

async fn start(
    project_dir: &Path,
    commands: &Commands,
    command: &str,
    seconds: u64,
    cancel: &CancellationToken,
) -> io::Result<Finished> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).current_dir(project_dir);
    shell.env_clear().envs(commands.environment.iter().map(|(name, value)| (name, value)));
    child::trace(&mut shell);
    // Removed when the command is over.
    let scratch = if commands.reach_everything() { None } else { Some(Scratch::new()?) };
    let sandbox = scratch.as_ref().map(|scratch| {
        commands.redirect(&mut shell, scratch);
        commands.sandbox(project_dir, scratch)
    });
    let plan = Plan {
        heard: None,
        command: shell,
        input: None,
        stdout: Capture::new(SHOWN_BYTES, SHOWN_BYTES),
        stderr: Capture::new(SHOWN_BYTES, SHOWN_BYTES),
        overflow: Overflow::Forget,
        timeout: Duration::from_secs(seconds),
        sandbox,
    };
    child::run(plan, cancel).await
}

fn unusable(command: &str) -> Option<String> {
    if command.trim().is_empty() {
        Some("the command is empty".to_owned())
    } else if command.contains('\0') {
        Some("the command contains a NUL character; remove it".to_owned())
    } else if command.len() > MAX_COMMAND_BYTES {
        let limit = MAX_COMMAND_BYTES / 1024;
        Some(format!("the command is longer than {limit} KiB: write a script with write_file and run that"))
    } else {
        None
    }
}

fn report(finished: Finished, seconds: u64) -> ToolOutput {
    let (ok, how) = match finished.end {
        ChildEnd::Exited(status) => (status.success(), exit(status)),
        ChildEnd::TimedOut => {
            (false, format!("killed after {seconds} seconds; use a larger timeout_seconds"))
        }
        ChildEnd::Stopped => (false, "stopped".to_owned()),
        ChildEnd::OutputTooLarge => (false, "killed because it wrote too much output".to_owned()),
    };
    let mut text = how;
    for (title, stream) in [("stdout", finished.stdout), ("stderr", finished.stderr)] {
        let content = stream
            .text(|bytes| format!("\n[{bytes} bytes omitted: write the output to a file and read that]\n"));
        if !content.is_empty() {
            text.push_str(&format!("\n[{title}]\n{}", content.trim_end_matches('\n')));
        }
    }
    ToolOutput { ok, text }
}

fn exit(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "exited for an unknown reason".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_run_unconfined_only_if_the_configuration_says_so() {
        let told = |system: &str| {
            let error = confined(system, Err(io::Error::other("ENOSYS"))).unwrap_err().to_string();
            assert!(error.contains("runner.command_folders") && error.contains("\"/\""), "{error}");
            error
        };
        assert!(told("linux").contains("Linux 6.2 with Landlock (ENOSYS)"));
        assert!(told("macos").contains("which macOS does not have"));
        assert!(told("freebsd").contains("which freebsd does not have"));
        assert!(confined("macos", Ok(())).is_ok() && confined("linux", Ok(())).is_ok());
        let everything = Commands { folders: vec!["/".into()], ..Commands::default() };
        assert!(everything.check().is_ok());
    }
}
