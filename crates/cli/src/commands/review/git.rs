//! Changes as git has them. Git is called without a shell and without the programs that a repository's configuration may name.

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::thread;

use super::change::{MOST_READ_BYTES, Text};
use crate::config::FOLDER;
use crate::failure::{Failure, Problem};

/// Lines around each change: enough to see the function that a change is in, most of the time.
const CONTEXT_LINES: &str = "--unified=10";

/// How much of git's output is read.
const MOST_SAID_BYTES: u64 = 64 * 1024;

/// Which change to review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted<'a> {
    /// Uncommitted changes, staged or not.
    Uncommitted,
    Commit(&'a str),
    /// From one commit to another.
    Range(&'a str),
}

impl<'a> Wanted<'a> {
    /// Reads REV. A text that git could take for an option is rejected.
    pub(super) fn of(rev: Option<&'a str>) -> Result<Self, Problem> {
        match rev {
            None => Ok(Self::Uncommitted),
            Some(rev) if rev.starts_with('-') || rev.trim().is_empty() => {
                let message = format!("invalid revision '{rev}'");
                Err(Problem::new(message).hint("pass a commit such as HEAD, or a range such as main..HEAD"))
            }
            Some(rev) if rev.contains("..") => Ok(Self::Range(rev)),
            Some(rev) => Ok(Self::Commit(rev)),
        }
    }

    /// The diff of the change, of these files only if there are some, and its title.
    pub(super) fn read(self, paths: &[String]) -> Result<Text, Failure> {
        if asked(&["rev-parse", "--git-dir"])?.is_none() {
            let problem = Problem::new("this folder is not in a git repository");
            return Err(problem.hint("change to the repository, or pass a diff with --diff FILE").into());
        }
        let commit = |rev: &str| asked(&["rev-parse", "--verify", "--quiet", &format!("{rev}^{{commit}}")]);
        let empty_tree = || asked(&["hash-object", "-t", "tree", "/dev/null"]).map(Option::unwrap_or_default);
        let (between, title) = match self {
            Self::Uncommitted => {
                let head = commit("HEAD")?.map_or_else(empty_tree, Ok)?;
                (vec![head], "Uncommitted changes".to_owned())
            }
            Self::Commit(rev) => {
                let Some(id) = commit(rev)? else {
                    let problem = Problem::new(format!("unknown revision '{rev}'"));
                    return Err(problem.hint("run `git log --oneline` to see commits").into());
                };
                let parent = commit(&format!("{id}^1"))?.map_or_else(empty_tree, Ok)?;
                let subject = asked(&["log", "-1", "--format=%s", &id])?.unwrap_or_default();
                (vec![parent, id], subject)
            }
            Self::Range(range) => (vec![range.to_owned()], format!("Changes {range}")),
        };
        if self == Self::Uncommitted {
            tell_of_untracked(paths)?;
        }
        let text = diff(&between, paths)?;
        Ok(Text { text, title: Some(title), origin: "git diff".to_owned() })
    }
}

fn diff(between: &[String], paths: &[String]) -> Result<String, Failure> {
    let mut command = git();
    command.args([
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--submodule=short",
        "--find-renames",
    ]);
    command.args(["--src-prefix=a/", "--dst-prefix=b/", CONTEXT_LINES]);
    command.args(between).arg("--").args(paths);
    let ran = run(&mut command, MOST_READ_BYTES)?;
    if ran.is_cut {
        let problem = Problem::new(format!("the change is larger than {MOST_READ_BYTES} bytes"));
        return Err(problem.hint("review parts of it: accord review REV -- PATH").into());
    }
    match ran.is_success {
        true => Ok(String::from_utf8_lossy(&ran.stdout).into_owned()),
        false => Err(Problem::new(format!("git diff failed: {}", ran.said())).into()),
    }
}

/// Untracked files are not part of a diff. They are reported, so that it is clear that they were
/// not reviewed.
fn tell_of_untracked(paths: &[String]) -> Result<(), Failure> {
    let mut command = git();
    command.args(["ls-files", "--others", "--exclude-standard", "-z", "--"]).args(paths);
    let ran = run(&mut command, MOST_SAID_BYTES)?;
    let names = ran.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    // The agents that review are rarely what is to be reviewed.
    let is_ours = |name: &&[u8]| name.split(|byte| *byte == b'/').any(|part| part == FOLDER.as_bytes());
    let count = names.filter(|name| !is_ours(name)).count();
    if count > 0 {
        let more = if ran.is_cut { "more than " } else { "" };
        let files = crate::view::text::counted(count as u64, "untracked file");
        crate::output::message(&format!(
            "note: {more}{files} not reviewed; use `git add --intent-to-add FILE` to include new files\n"
        ));
    }
    Ok(())
}

/// What git answers; nothing if it fails.
fn asked(arguments: &[&str]) -> Result<Option<String>, Failure> {
    let ran = run(git().args(arguments), MOST_SAID_BYTES)?;
    let text = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
    Ok((ran.is_success && !text.is_empty()).then_some(text))
}

/// Git with fixed settings, regardless of the configuration of the repository and the user: the
/// format of diffs, and which programs are run.
fn git() -> Command {
    let mut command = Command::new("git");
    for setting in
        ["core.fsmonitor=false", "diff.noprefix=false", "diff.mnemonicPrefix=false", "diff.relative=false"]
    {
        command.args(["-c", setting]);
    }
    command.env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C").env_remove("GIT_EXTERNAL_DIFF");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

struct Ran {
    is_success: bool,
    stdout: Vec<u8>,
    /// Whether there was more.
    is_cut: bool,
    stderr: String,
}

impl Ran {
    /// Why it failed, in a line.
    fn said(&self) -> &str {
        let line = self.stderr.lines().next().unwrap_or("no message");
        line.strip_prefix("fatal: ").unwrap_or(line)
    }
}

fn run(command: &mut Command, most: u64) -> Result<Ran, Failure> {
    let failed = |error: &io::Error| {
        let problem = Problem::new(format!("cannot run git: {error}"));
        match error.kind() {
            io::ErrorKind::NotFound => problem.hint("install git, or pass a diff with --diff FILE"),
            _ => problem,
        }
    };
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    // Both are read at the same time: a program that writes much to one of them waits for its reader.
    let stderr = child.stderr.take();
    let said = thread::spawn(move || {
        let mut said = Vec::new();
        let read = stderr.map(|stderr| stderr.take(MOST_SAID_BYTES).read_to_end(&mut said));
        read.transpose().map(|_| String::from_utf8_lossy(&said).into_owned())
    });
    let mut stdout = Vec::new();
    if let Some(out) = child.stdout.take() {
        out.take(most + 1).read_to_end(&mut stdout).map_err(|error| failed(&error))?;
    }
    let is_cut = stdout.len() as u64 > most;
    if is_cut {
        // It may have ended by itself.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| failed(&error))?;
    let stderr = said.join().ok().and_then(Result::ok).unwrap_or_default();
    Ok(Ran { is_success: status.success(), stdout, is_cut, stderr })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_possible_option_is_not_a_revision() {
        for rev in ["-x", "--output=/tmp/x", "", " "] {
            assert!(Wanted::of(Some(rev)).is_err(), "{rev}");
        }
        assert_eq!(Wanted::of(None).ok(), Some(Wanted::Uncommitted));
        assert_eq!(Wanted::of(Some("HEAD~2")).ok(), Some(Wanted::Commit("HEAD~2")));
        assert_eq!(Wanted::of(Some("a...b")).ok(), Some(Wanted::Range("a...b")));
    }
}
