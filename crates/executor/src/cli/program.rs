//! Where the executable of a CLI is.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    pub title: &'static str,
    pub executor: &'static str,
    /// Its name on the `PATH`.
    pub executable: &'static str,
    /// The variable that names another executable.
    pub variable: &'static str,
    /// The package of npm that has it.
    pub package: &'static str,
    /// Variables with keys of makers that it has nothing to do with.
    foreign: &'static [&'static str],
    /// Which keys of configured providers are its business.
    keys: Keys,
}

/// Which keys of configured providers are the business of a CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// Those whose names begin like this: it looks for no others.
    Begin(&'static [&'static str]),
    /// Any: its own configuration can name whichever variable.
    All,
}

pub const CLAUDE_CODE: Program = Program {
    title: "Claude Code",
    executor: "claude-code",
    executable: "claude",
    variable: "ACCORD_CLAUDE_CODE_BIN",
    package: "@anthropic-ai/claude-code",
    foreign: &["OPENAI_API_KEY"],
    // The latter are of clouds by which it can reach its models.
    keys: Keys::Begin(&["ANTHROPIC_", "CLAUDE_", "AWS_", "GOOGLE_", "AZURE_"]),
};

pub const CODEX: Program = Program {
    title: "Codex",
    executor: "codex",
    executable: "codex",
    variable: "ACCORD_CODEX_BIN",
    package: "@openai/codex",
    foreign: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    keys: Keys::All,
};

/// Any agent that speaks ACP. The blueprint's `command` names it, so that nothing else has to.
pub const ACP: Program = Program {
    title: "the ACP agent",
    executor: "acp",
    executable: "",
    variable: "",
    package: "",
    foreign: &[],
    keys: Keys::All,
};

/// Why a CLI cannot be started, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A setting names an executable that does not exist.
    #[error("{title} cannot be started: {setting} is '{named}', which is {missing}")]
    Unusable { title: &'static str, setting: &'static str, named: String, missing: &'static str },
    /// Nothing names an executable, and it is not on the `PATH`.
    #[error(
        "{} not found: '{}' is not on the PATH of the runner; install it (npm install -g {}), or set {} or the executor's `command`",
        .0.title, .0.executable, .0.package, .0.variable
    )]
    NotFound(Program),
}

impl ProgramError {
    fn unusable(program: Program, setting: &'static str, named: &str) -> Self {
        let missing = match named.contains('/') {
            true => "not an executable file",
            false => "not on the PATH of the runner",
        };
        Self::Unusable { title: program.title, setting, named: named.to_owned(), missing }
    }
}

impl Program {
    /// Finds the executable: the blueprint's `command`, else what the variable names, else by name on the path. One
    /// that is named and is not there is an error, never a reason to take another. The error says what to do.
    pub fn find(
        &self,
        command: Option<&str>,
        folder: &Path,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<PathBuf, ProgramError> {
        let path = environment("PATH").unwrap_or_default();
        if let Some(command) = command {
            let not_found = || ProgramError::unusable(*self, "the blueprint's `command`", command);
            return locate(OsStr::new(command), folder, &path).ok_or_else(not_found);
        }
        if let Some(named) = environment(self.variable).filter(|named| !named.is_empty()) {
            let not_found = || ProgramError::unusable(*self, self.variable, &named.to_string_lossy());
            return locate(&named, Path::new("."), &path).ok_or_else(not_found);
        }
        locate(OsStr::new(self.executable), folder, &path).ok_or(ProgramError::NotFound(*self))
    }
}

impl Program {
    /// Whether a variable holds a key that plainly is not for this CLI: its model runs commands, and would see it.
    /// `is_key` tells that a configured provider has its key there.
    pub(super) fn is_foreign(&self, variable: &OsStr, is_key: bool) -> bool {
        let begins = |own: &&str| variable.as_encoded_bytes().starts_with(own.as_bytes());
        let is_own = match self.keys {
            Keys::Begin(own) => own.iter().any(begins),
            Keys::All => true,
        };
        self.foreign.iter().any(|foreign| variable == *foreign) || is_key && !is_own
    }
}

/// A path as it is, relative to a folder; a name by the path.
fn locate(name: &OsStr, folder: &Path, path: &OsStr) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    if Path::new(name).components().count() > 1 || name.to_string_lossy().contains('/') {
        return Some(folder.join(name)).filter(|file| is_executable(file));
    }
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executable(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let file = folder.join(name);
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn the_blueprint_is_asked_first_then_the_variable_then_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let [bin, project] = ["bin", "project"].map(|name| folder.path().join(name));
        std::fs::create_dir(&bin).unwrap();
        std::fs::create_dir(&project).unwrap();
        let on_path = executable(&bin, "claude", 0o755);
        let other = executable(&bin, "other", 0o755);
        let own = executable(&project, "own", 0o700);
        let path = bin.clone();
        let plain = |name: &str| (name == "PATH").then(|| path.clone().into_os_string());
        let named = |name: &str| match name {
            "ACCORD_CLAUDE_CODE_BIN" => Some(other.clone().into_os_string()),
            name => plain(name),
        };
        assert_eq!(CLAUDE_CODE.find(None, &project, plain), Ok(on_path));
        assert_eq!(CLAUDE_CODE.find(None, &project, named), Ok(other.clone()));
        assert_eq!(CLAUDE_CODE.find(Some("./own"), &project, named), Ok(project.join("./own")));
        assert_eq!(CLAUDE_CODE.find(own.to_str(), &project, named), Ok(own));
        assert_eq!(CLAUDE_CODE.find(Some("other"), &project, plain), Ok(other));
    }

    #[test]
    fn keys_of_others_are_foreign() {
        let foreign = |program: Program, keys: &[&'static str]| {
            let all = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "LABKEY", "PATH"];
            all.into_iter()
                .filter(|name| program.is_foreign(OsStr::new(name), keys.contains(name)))
                .collect::<Vec<_>>()
        };
        let configured = ["ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "LABKEY"];
        assert_eq!(foreign(CLAUDE_CODE, &[]), ["OPENAI_API_KEY"]);
        assert_eq!(foreign(CLAUDE_CODE, &configured), ["OPENAI_API_KEY", "LABKEY"]);
        assert_eq!(foreign(CODEX, &configured), ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]);
    }

    #[test]
    fn missing_programs_are_errors_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        executable(folder.path(), "claude", 0o644);
        let path = |name: &str| (name == "PATH").then(|| folder.path().as_os_str().to_owned());
        let find = |command| CLAUDE_CODE.find(command, folder.path(), path).unwrap_err().to_string();
        assert_eq!(
            find(None),
            "Claude Code not found: 'claude' is not on the PATH of the runner; install it (npm install -g @anthropic-ai/claude-code), or set ACCORD_CLAUDE_CODE_BIN or the executor's `command`"
        );
        let start = "Claude Code cannot be started: the blueprint's `command` is";
        assert_eq!(find(Some("./claude")), format!("{start} './claude', which is not an executable file"));
        assert_eq!(find(Some("clod")), format!("{start} 'clod', which is not on the PATH of the runner"));
        let gone =
            |name: &str| if name == "ACCORD_CODEX_BIN" { Some("/gone/codex".into()) } else { path(name) };
        assert_eq!(
            CODEX.find(None, folder.path(), gone).unwrap_err().to_string(),
            "Codex cannot be started: ACCORD_CODEX_BIN is '/gone/codex', which is not an executable file"
        );
    }
}
