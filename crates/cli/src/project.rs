//! Which project a command works on.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use crate::config::FOLDER;
use crate::failure::Problem;

/// Where the project is
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ProjectArguments {
    /// The folder that holds .accord [default: the nearest one upwards, else this folder]
    #[arg(long, value_name = "DIR", global = true)]
    dir: Option<PathBuf>,
}

impl ProjectArguments {
    /// The folder, absolute.
    pub(crate) fn find(&self) -> Result<PathBuf, Problem> {
        let current = std::env::current_dir()
            .map_err(|error| Problem::new(format!("the current folder cannot be found: {error}")))?;
        let folder = match &self.dir {
            Some(folder) => current.join(folder),
            None => nearest(&current).unwrap_or(&current).to_owned(),
        };
        let problem = |cause: &dyn Display| {
            Problem::new(format!("the folder {} cannot be used: {cause}", folder.display()))
                .hint("name an existing folder with --dir")
        };
        let found = folder.canonicalize().map_err(|error| problem(&error))?;
        if found.is_dir() { Ok(found) } else { Err(problem(&"it is not a folder")) }
    }
}

fn nearest(start: &Path) -> Option<&Path> {
    start.ancestors().find(|folder| folder.join(FOLDER).is_dir())
}
