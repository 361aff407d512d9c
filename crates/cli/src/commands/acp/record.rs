//! Maps sessions of an editor to sessions of Accord. Stored in the project, so that an editor can reopen a session later.
//!
//! The editor gets its id before there is a session in Accord, which begins with the first run. So each session of an editor has
//! a file, with the ids of its sessions in Accord, one per line.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use accord_api::SessionId;

use crate::config;

/// The folder in `.accord`.
const FOLDER: &str = "acp-sessions";

/// Longer than any id that we hand out, and shorter than the name of a file may be.
const LONGEST_ID: usize = 100;

pub(super) struct Record {
    folder: PathBuf,
}

impl Record {
    pub(super) fn of_project(project: &Path) -> Self {
        Self { folder: project.join(config::FOLDER).join(FOLDER) }
    }

    /// The sessions in Accord, oldest first; none if the id is unknown.
    pub(super) fn read(&self, id: &str) -> io::Result<Option<Vec<SessionId>>> {
        let Some(file) = self.file(id) else { return Ok(None) };
        match fs::read_to_string(file) {
            Ok(text) => {
                let sessions = text.lines().map(str::parse).collect::<Result<_, _>>();
                sessions.map(Some).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn add(&self, id: &str, session: &SessionId) -> io::Result<()> {
        let Some(file) = self.file(id) else { return Ok(()) };
        if self.read(id)?.is_some_and(|known| known.contains(session)) {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        let mut file = OpenOptions::new().create(true).append(true).open(file)?;
        file.write_all(format!("{session}\n").as_bytes())
    }

    /// The file of a session. Ids come from the editor, so only those in our own format become file names.
    fn file(&self, id: &str) -> Option<PathBuf> {
        let is_ours = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let is_id = !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(is_ours);
        is_id.then(|| self.folder.join(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_kept_in_order() {
        let project = tempfile::tempdir().unwrap();
        let record = Record::of_project(project.path());
        assert_eq!(record.read("acp-1").unwrap(), None);
        let [first, second] = ["1", "2"].map(SessionId::new);
        for session in [&first, &second, &first] {
            record.add("acp-1", session).unwrap();
        }
        assert_eq!(record.read("acp-1").unwrap(), Some(vec![first, second]));
    }

    #[test]
    fn ids_are_no_paths() {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("secret"), "ses_1").unwrap();
        fs::create_dir_all(project.path().join(".accord/acp-sessions")).unwrap();
        let record = Record::of_project(project.path());
        for id in ["../../secret", "", "..", &"a".repeat(101)] {
            assert_eq!(record.read(id).unwrap(), None, "{id}");
        }
    }
}
