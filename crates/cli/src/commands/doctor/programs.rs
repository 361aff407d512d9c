//! Whether the agent CLIs are there.

use std::ffi::OsStr;
use std::path::PathBuf;

use accord_api::AgentSummary;

use super::Check;

const NAME: &str = "programs";

/// The executables, and the executors that need them.
const PROGRAMS: [(&str, &str); 2] = [("claude", "claude-code"), ("codex", "codex")];

pub(super) fn checks(agents: &[AgentSummary], path: &OsStr) -> Vec<Check> {
    let check = |(program, executor): (&str, &str)| match find(program, path) {
        Some(file) => Check::ok(NAME, format!("{program}: {}", file.display())),
        None if agents.iter().any(|agent| agent.executor_type == executor) => {
            let remedy =
                format!("install it, or name it as the executor's command; {executor} agents need it");
            Check::warn(NAME, format!("{program} is not on the PATH"), remedy)
        }
        None => Check::ok(NAME, format!("{program} is not on the PATH, and no agent needs it")),
    };
    PROGRAMS.into_iter().map(check).collect()
}

fn find(program: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &std::path::Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_what_can_be_run_counts() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("claude");
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(find("claude", folder.path().as_os_str()), None);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find("claude", folder.path().as_os_str()), Some(file));
    }
}
