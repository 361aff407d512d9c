//! Changes as git has them. Git is called without a shell and without the programs that a repository's configuration may name: it
//! reads another configuration instead, which has only settings that name none (see `Repository`).

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use super::change::{MOST_READ_BYTES, Text};
use crate::config::FOLDER;
use crate::failure::{Failure, Problem};

/// Lines around each change: enough to see the function that a change is in, most of the time.
const CONTEXT_LINES: &str = "--unified=10";

/// How long git may take. A diff of a large repository takes seconds.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The settings of a repository that are used: they say how its objects and files are read, and none of them names a program.
const SETTINGS: [&str; 11] = [
    "core.autocrlf",
    "core.bigfilethreshold",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.symlinks",
    "extensions.compatobjectformat",
    "extensions.objectformat",
];

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
        let Some(repository) = Repository::here()? else {
            let problem = Problem::new("this folder is not in a git repository");
            return Err(problem.hint("change to the repository, or pass a diff with --diff FILE").into());
        };
        let empty_tree =
            || repository.asked(&["hash-object", "-t", "tree", "/dev/null"]).map(Option::unwrap_or_default);
        let (between, title) = match self {
            Self::Uncommitted => {
                let head = commit("HEAD")?.map_or_else(empty_tree, Ok)?;
                (vec![head], "Uncommitted changes".to_owned())
            }
            Self::Commit(rev) => {
                let id = known(rev)?;
                let parent = commit(&format!("{id}^1"))?.map_or_else(empty_tree, Ok)?;
                let subject = repository.asked(&["log", "-1", "--format=%s", &id])?.unwrap_or_default();
                (vec![parent, id], subject)
            }
            Self::Range(range) => {
                let (is_since_both, (from, to)) = match range.split_once("...") {
                    Some(ends) => (true, ends),
                    None => (false, range.split_once("..").unwrap_or((range, ""))),
                };
                let end = |rev: &str| known(if rev.is_empty() { "HEAD" } else { rev });
                let (from, to) = (end(from)?, end(to)?);
                let from = match is_since_both {
                    true => asked(git().args(["merge-base", &from, &to]))?.map_or_else(empty_tree, Ok)?,
                    false => from,
                };
                (vec![from, to], format!("Changes {range}"))
            }
        };
        if self == Self::Uncommitted {
            repository.tell_of_untracked(paths)?;
        }
        let text = repository.diff(&between, paths)?;
        Ok(Text { text, title: Some(title), origin: "git diff".to_owned() })
    }
}

/// The id of a commit. Names are resolved by the repository itself, which runs nothing.
fn commit(rev: &str) -> Result<Option<String>, Failure> {
    asked(git().args(["rev-parse", "--verify", "--quiet", &format!("{rev}^{{commit}}")]))
}

fn known(rev: &str) -> Result<String, Failure> {
    commit(rev)?.ok_or_else(|| {
        let problem = Problem::new(format!("unknown revision '{rev}'"));
        problem.hint("run `git log --oneline` to see commits").into()
    })
}

/// The objects, the index and the files of a repository, with a configuration of our own beside them: filters, hooks, signatures and
/// everything else that the repository's configuration could run is not in it. Filters of the user's configuration are the user's.
struct Repository {
    own: TempDir,
    objects: PathBuf,
    index: PathBuf,
    files: PathBuf,
    /// The current folder inside it, which names of files are relative to.
    folder: PathBuf,
}

impl Repository {
    /// The repository of the current folder, if there is one.
    fn here() -> Result<Option<Self>, Failure> {
        let path =
            |arguments: &[&str]| asked(git().args(["rev-parse", "--path-format=absolute"]).args(arguments));
        let (Some(objects), Some(index)) =
            (path(&["--git-path", "objects"])?, path(&["--git-path", "index"])?)
        else {
            return Ok(None);
        };
        let cannot = |error: io::Error| Problem::new(format!("cannot prepare a folder for git: {error}"));
        let own = TempDir::new().map_err(cannot)?;
        // A bare repository has no files.
        let files = path(&["--show-toplevel"])?.map_or_else(|| own.path().to_owned(), PathBuf::from);
        let mut config = String::new();
        for name in SETTINGS {
            if let Some(value) = asked(git().args(["config", "--get", name]))?.filter(|value| is_plain(value))
            {
                let (section, key) = name.split_once('.').unwrap_or((name, ""));
                config.push_str(&format!("[{section}]\n\t{key} = {value}\n"));
            }
        }
        let head = commit("HEAD")?.unwrap_or_else(|| "ref: refs/heads/none".to_owned());
        let write = |name: &str, text: String| fs::write(own.path().join(name), text);
        write("config", config).and_then(|()| write("HEAD", format!("{head}\n"))).map_err(cannot)?;
        fs::create_dir(own.path().join("refs")).map_err(cannot)?;
        if let Some(excluded) = path(&["--git-path", "info/exclude"])? {
            let info = own.path().join("info");
            fs::create_dir(&info).map_err(cannot)?;
            // A repository need not have one.
            fs::copy(excluded, info.join("exclude")).ok();
        }
        let folder = std::env::current_dir().map_err(cannot)?;
        Ok(Some(Self { own, objects: objects.into(), index: index.into(), files, folder }))
    }

    fn git(&self) -> Command {
        let mut command = git();
        command.current_dir(&self.folder).env("GIT_DIR", self.own.path()).env("GIT_WORK_TREE", &self.files);
        command.env("GIT_OBJECT_DIRECTORY", &self.objects).env("GIT_INDEX_FILE", &self.index);
        command.env_remove("GIT_COMMON_DIR");
        command
    }

    fn asked(&self, arguments: &[&str]) -> Result<Option<String>, Failure> {
        asked(self.git().args(arguments))
    }

    fn diff(&self, between: &[String], paths: &[String]) -> Result<String, Failure> {
        let mut command = self.git();
        command.args(["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short"]);
        // A submodule has a configuration of its own, which git would read to see whether its files have changed.
        command.args(["--ignore-submodules=dirty", "--find-renames"]);
        command.args(["--src-prefix=a/", "--dst-prefix=b/", CONTEXT_LINES]);
        command.args(between).arg("--").args(paths);
        let ran = run(&mut command, MOST_READ_BYTES)?;
        if ran.is_cut {
            let problem = Problem::new(format!("the change is larger than {MOST_READ_BYTES} bytes"));
            return Err(problem.hint("review parts of it: accord review REV -- PATH").into());
        }
        match ran.is_success {
            true => Ok(String::from_utf8_lossy(&ran.stdout).into_owned()),
            false => Err(Problem::new(format!("git diff failed: {}", ran.errors())).into()),
        }
    }

    /// Untracked files are not part of a diff. They are reported, so that it is clear that they were
    /// not reviewed.
    fn tell_of_untracked(&self, paths: &[String]) -> Result<(), Failure> {
        let mut command = self.git();
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
}

/// Whether a value is a word or a number: all of these settings are.
fn is_plain(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// What git answers; nothing if it fails.
fn asked(command: &mut Command) -> Result<Option<String>, Failure> {
    let ran = run(command, MOST_SAID_BYTES)?;
    let text = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
    Ok((ran.is_success && !text.is_empty()).then_some(text))
}

/// Git with fixed settings, regardless of the configuration of the repository and the user: the format of diffs, no signatures that
/// would be verified, and no transport, which an object that is missing here could be fetched by.
fn git() -> Command {
    let mut command = Command::new("git");
    for setting in [
        "core.fsmonitor=false",
        "diff.noprefix=false",
        "diff.mnemonicPrefix=false",
        "diff.relative=false",
        "log.showSignature=false",
    ] {
        command.args(["-c", setting]);
    }
    command.env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C").env_remove("GIT_EXTERNAL_DIFF");
    command.env("GIT_ALLOW_PROTOCOL", "none").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
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
    fn errors(&self) -> &str {
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
    // Of a group of its own, so that what git has started ends with it.
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let end =
        move || group.map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL));
    let (finished, waiting) = mpsc::channel::<()>();
    let clock = thread::spawn(move || {
        let is_late = waiting.recv_timeout(TIME_LIMIT) == Err(mpsc::RecvTimeoutError::Timeout);
        if is_late {
            end();
        }
        is_late
    });
    // Both are read at the same time: a program that writes much to one of them waits for its reader.
    let stderr = child.stderr.take();
    let errors = thread::spawn(move || {
        let mut errors = Vec::new();
        let read = stderr.map(|stderr| stderr.take(MOST_SAID_BYTES).read_to_end(&mut errors));
        read.transpose().map(|_| String::from_utf8_lossy(&errors).into_owned())
    });
    let mut stdout = Vec::new();
    if let Some(out) = child.stdout.take() {
        out.take(most + 1).read_to_end(&mut stdout).map_err(|error| failed(&error))?;
    }
    let is_cut = stdout.len() as u64 > most;
    if is_cut {
        // It may have ended by itself.
        end();
    }
    let status = child.wait().map_err(|error| failed(&error))?;
    drop(finished);
    if clock.join().unwrap_or_default() {
        let message = format!("git did not finish within {} seconds", TIME_LIMIT.as_secs());
        return Err(Problem::new(message).hint("pass a diff with --diff FILE").into());
    }
    let stderr = errors.join().ok().and_then(Result::ok).unwrap_or_default();
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
