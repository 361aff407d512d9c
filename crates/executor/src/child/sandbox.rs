//! A sandbox for a child: it reads and writes its own folders, reads what programs need (see `readable`), and reaches no
//! other file. It uses Landlock of Linux 6.2 or newer.
//!
//! Landlock restricts a thread and everything that the thread starts. So each child is started by a thread of its own.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use tokio::process::Command;
use tokio::sync::oneshot;

use super::group::{Group, patiently};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sandbox {
    /// Folders, and files, that it may read and write.
    pub(crate) folders: Vec<PathBuf>,
    /// Folders with programs that it may run.
    pub(crate) programs: Vec<PathBuf>,
}

impl Sandbox {
    /// A sandbox for folders. Programs are those of the system, and of the folders that a search path names.
    pub(crate) fn around(folders: Vec<PathBuf>, search_path: Option<&OsStr>) -> Self {
        let programs = search_path.map(|path| std::env::split_paths(path).collect::<Vec<_>>());
        let absolute = |folder: &PathBuf| folder.is_absolute() && folder != Path::new("/");
        Self { folders, programs: programs.unwrap_or_default().into_iter().filter(absolute).collect() }
    }

    pub(super) async fn spawn(self, command: Command) -> io::Result<Group> {
        let runtime = tokio::runtime::Handle::current();
        let (sender, started) = oneshot::channel();
        let start = move || {
            let group = runtime.block_on(async {
                patiently(|| kernel::surround(&self)).await?;
                Group::spawn(command).await
            });
            // If the caller is gone, the child is killed as it is dropped.
            drop(sender.send(group));
        };
        std::thread::Builder::new().name("accord-sandbox".to_owned()).spawn(start)?;
        started.await.unwrap_or_else(|_| Err(io::Error::other("the thread that starts it has ended")))
    }
}

/// Whether this system supports sandboxes, or why not.
pub(crate) fn available() -> io::Result<()> {
    kernel::ruleset().map(|_| ())
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::io;

    use landlock::{
        ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
        RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
    };

    use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

    use super::super::readable;
    use super::Sandbox;

    /// The capabilities that a runner that is root leaves to a child: to work on files of others, within the sandbox.
    const KEPT: CapabilitySet = CapabilitySet::CHOWN
        .union(CapabilitySet::DAC_OVERRIDE)
        .union(CapabilitySet::FOWNER)
        .union(CapabilitySet::FSETID);

    /// All ways to reach a file, cutting it short among them.
    const NEEDED: ABI = ABI::V3;

    /// Signals to others and sockets without a file, where the system can restrict them.
    const WISHED: ABI = ABI::V6;

    pub(super) fn ruleset() -> io::Result<RulesetCreated> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(NEEDED))
            .and_then(|ruleset| {
                ruleset.set_compatibility(CompatLevel::BestEffort).scope(Scope::from_all(WISHED))
            })
            .and_then(|ruleset| ruleset.create());
        ruleset.map_err(io::Error::other)
    }

    /// Restricts this thread for good, and keeps programs that it starts from gaining privileges.
    pub(super) fn surround(sandbox: &Sandbox) -> io::Result<()> {
        let held = capabilities(None)?;
        let (effective, permitted) = (held.effective & KEPT, held.permitted & KEPT);
        set_capabilities(None, CapabilitySets { effective, permitted, inheritable: CapabilitySet::empty() })?;
        let read = AccessFs::from_read(NEEDED);
        let write: BitFlags<AccessFs> = AccessFs::from_all(NEEDED);
        let set = |rules: RulesetCreated| -> Result<RulesetStatus, RulesetError> {
            let rules = rules
                .add_rules(path_beneath_rules(readable::paths(), read))?
                .add_rules(path_beneath_rules(&sandbox.programs, read))?
                .add_rules(path_beneath_rules(readable::DEVICES, write))?
                .add_rules(path_beneath_rules(&sandbox.folders, write))?;
            Ok(rules.restrict_self()?.ruleset)
        };
        match set(ruleset()?).map_err(io::Error::other)? {
            RulesetStatus::NotEnforced => Err(io::Error::other("the sandbox could not be created")),
            RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::io;

    use super::Sandbox;

    pub(super) fn ruleset() -> io::Result<()> {
        Err(io::Error::other("Landlock is available only on Linux"))
    }

    pub(super) fn surround(_walls: &Sandbox) -> io::Result<()> {
        ruleset()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_path_does_not_open_everything() {
        let sandbox = Sandbox::around(vec!["/project".into()], Some(OsStr::new("/a/bin:/:bin::/b")));
        assert_eq!(sandbox.programs, [PathBuf::from("/a/bin"), PathBuf::from("/b")]);
    }
}
