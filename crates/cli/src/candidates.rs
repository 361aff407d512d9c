//! What a shell can complete besides commands and options: the names of agents and workflows in the project.
//!
//! The files are listed and not read, so that pressing Tab costs nothing.

use std::path::PathBuf;

use clap_complete::{ArgValueCandidates, CompletionCandidate};

use crate::config::FOLDER;
use crate::project::ProjectArguments;

/// A shell's script sets this variable to ask for candidates. The usual name, COMPLETE, could be anybody's.
pub(crate) const VARIABLE: &str = "ACCORD_COMPLETE";

/// The names of agents.
pub(crate) fn agents() -> ArgValueCandidates {
    ArgValueCandidates::new(|| named(in_project("agents"), |path| path.is_dir()))
}

/// The names of workflows.
pub(crate) fn workflows() -> ArgValueCandidates {
    ArgValueCandidates::new(|| named(in_project("workflows"), |path| path.is_file()))
}

fn in_project(folder: &str) -> Option<PathBuf> {
    Some(ProjectArguments::default().find().ok()?.join(FOLDER).join(folder))
}

/// The entries of a folder, without extensions.
fn named(folder: Option<PathBuf>, is_one: impl Fn(&PathBuf) -> bool) -> Vec<CompletionCandidate> {
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_one);
    let mut names: Vec<_> = paths.filter_map(|path| path.file_stem().map(ToOwned::to_owned)).collect();
    names.sort();
    names.into_iter().map(CompletionCandidate::new).collect()
}
