//! Which project a command works on.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use crate::config::{FILE, FOLDER};
use crate::failure::Problem;

/// Where the project is
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ProjectArguments {
    /// Project folder (contains .accord) [default: the nearest one upwards, else this folder]
    #[arg(long, value_name = "DIR", global = true)]
    dir: Option<PathBuf>,
}

impl ProjectArguments {
    /// The folder, absolute.
    pub(crate) fn find(&self) -> Result<PathBuf, Problem> {
        let current = std::env::current_dir()
            .map_err(|error| Problem::new(format!("cannot find the current folder: {error}")))?;
        let folder = match &self.dir {
            Some(folder) => current.join(folder),
            None => nearest(&current).unwrap_or(&current).to_owned(),
        };
        let problem = |cause: &dyn Display| {
            Problem::new(format!("cannot use the folder {}: {cause}", folder.display()))
                .hint("pass an existing folder with --dir")
        };
        let found = folder.canonicalize().map_err(|error| problem(&error))?;
        if found.is_dir() { Ok(found) } else { Err(problem(&"it is not a folder")) }
    }
}

/// The error for a folder that is not a project. A folder with settings is one.
pub(crate) fn missing(folder: &Path) -> Option<Problem> {
    let is_project = folder.join(FOLDER).is_dir() || folder.join(FILE).exists();
    (!is_project).then(|| {
        Problem::new(format!("not an Accord project: no {FOLDER} folder in {} or above", folder.display()))
            .hint("create one with `accord init`, or pass --dir DIR or --coordinator URL")
    })
}

fn nearest(start: &Path) -> Option<&Path> {
    start.ancestors().find(|folder| folder.join(FOLDER).is_dir())
}
