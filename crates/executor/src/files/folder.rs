//! Files for agent CLIs: in a folder of the project, where they may read, for as long as the session is open.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Files;
use crate::answer::Answer;
use crate::event::Events;
use crate::session::{Capabilities, Executor, OpenError, Session, TurnFailure};
use crate::start::Start;
use crate::turn::Turn;

/// Where the folders are. Everything in it is ignored by git.
const FOLDER: &str = ".accord/files";

/// An executor whose sessions find the files of their run in a folder.
pub struct WithFolder<E>(pub E);

#[async_trait]
impl<E: Executor> Executor for WithFolder<E> {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        if start.files.is_empty() {
            return self.0.open(start).await;
        }
        let folder = Folder::write(&start.project_dir, &start.run_id, &start.files).map_err(|error| {
            OpenError::Missing(format!(
                "the files of the run cannot be written to {FOLDER} in the project folder: {error}"
            ))
        })?;
        let inner = self.0.open(start).await?;
        Ok(Box::new(SessionWithFolder { inner, folder, is_told: false }))
    }
}

struct SessionWithFolder {
    inner: Box<dyn Session>,
    folder: Folder,
    /// Whether a turn has said what is in the folder.
    is_told: bool,
}

#[async_trait]
impl Session for SessionWithFolder {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn turn(
        &mut self,
        mut turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure> {
        if !self.is_told {
            turn.prompt = format!("{}\n\n{}", turn.prompt, self.folder.listed);
        }
        let answered = self.inner.turn(turn, events, cancel).await;
        self.is_told |= answered.is_ok();
        answered
    }

    fn conversation(&self) -> Option<Value> {
        self.inner.conversation()
    }

    fn said_beside(&self) -> Option<String> {
        self.inner.said_beside()
    }

    fn switch(&mut self, settings: &Value) -> Result<(), OpenError> {
        self.inner.switch(settings)
    }

    async fn close(self: Box<Self>) {
        let Self { inner, folder, .. } = *self;
        inner.close().await;
        drop(folder);
    }
}

/// A folder of one run, removed when it is dropped.
struct Folder {
    path: PathBuf,
    listed: String,
}

impl Folder {
    fn write(project: &Path, run_id: &str, files: &Files) -> io::Result<Self> {
        let all = project.join(FOLDER);
        fs::create_dir_all(&all)?;
        fs::write(all.join(".gitignore"), "*\n")?;
        let path = all.join(run_id);
        fs::create_dir_all(&path)?;
        let mut folder = Self { path, listed: "The files that belong to this task:".to_owned() };
        for (index, given) in files.iter().enumerate() {
            let name = &given.file.name;
            // Two files may have the same name.
            let name = match folder.path.join(name).exists() {
                true => format!("{}-{name}", index + 1),
                false => name.clone(),
            };
            fs::write(folder.path.join(&name), &given.content)?;
            folder.listed += &format!("\n- {FOLDER}/{run_id}/{name} ({})", given.file.media_type);
        }
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(folder = %self.path.display(), %error, "the files of a run could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use accord_domain::file::FileRef;
    use accord_domain::id::FileId;

    use super::*;
    use crate::files::GivenFile;

    #[test]
    fn files_are_there_while_the_session_is() {
        let project = tempfile::tempdir().unwrap();
        let file = |id: &str, content: &[u8]| GivenFile {
            file: FileRef {
                id: FileId::new(id),
                name: "a.txt".into(),
                media_type: "text/plain".into(),
                bytes: 1,
            },
            content: Arc::from(content),
        };
        let files = Files::new([file("a", b"1"), file("b", b"2")]);
        let folder = Folder::write(project.path(), "run_x", &files).unwrap();
        let at = project.path().join(".accord/files/run_x");
        let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
        assert_eq!((read("a.txt"), read("2-a.txt")), ("1".to_owned(), "2".to_owned()));
        assert_eq!(
            folder.listed,
            "The files that belong to this task:\n- .accord/files/run_x/a.txt (text/plain)\n- .accord/files/run_x/2-a.txt (text/plain)"
        );
        drop(folder);
        assert!(!at.exists());
    }
}
