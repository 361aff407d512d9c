//! Files as a provider takes them.

use std::collections::HashMap;

use accord_domain::file::{FileKind, FileRef};
use accord_domain::id::FileId;
use accord_domain::provider::TakesFiles;
use tokio_util::sync::CancellationToken;

use crate::files::{Files, PdfReader, pdf_text};
use crate::session::TurnError;

/// A piece of a user message, as a dialect writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Text(String),
    Image(&'a FileRef),
    Pdf(&'a FileRef),
}

/// The files of a session, with the texts of those that are sent as text.
#[derive(Debug, Default)]
pub(super) struct SessionFiles {
    pub(super) files: Files,
    reader: Option<PdfReader>,
    /// Texts of PDFs that were read, because the provider takes none.
    read: HashMap<FileId, String>,
}

impl SessionFiles {
    pub(super) fn new(files: Files, reader: Option<PdfReader>) -> Self {
        Self { files, reader, read: HashMap::new() }
    }

    /// Those that no message of the conversation has.
    pub(super) fn new_ones(&self, sent: &[&FileRef]) -> Vec<FileRef> {
        let is_new = |file: &&FileRef| !sent.iter().any(|sent| sent.id == file.id);
        self.files.iter().map(|given| &given.file).filter(is_new).cloned().collect()
    }

    /// Checks that a provider takes the files, and reads the texts of PDFs where it does not.
    pub(super) async fn prepare(
        &mut self,
        provider: &str,
        takes: &TakesFiles,
        stop: &CancellationToken,
    ) -> Result<(), TurnError> {
        for given in self.files.iter() {
            let FileRef { id, name, media_type, .. } = &given.file;
            match given.file.kind() {
                FileKind::Image if !takes.images.contains(&media_type.as_str()) => {
                    let takes = match takes.images {
                        [] => "takes no images; use another model".to_owned(),
                        types => format!("takes images of type {}; convert the file", types.join(", ")),
                    };
                    return Err(TurnError::Failed(format!(
                        "the file '{name}' is {media_type}, but provider `{provider}` {takes}"
                    )));
                }
                FileKind::Pdf if !takes.pdfs && !self.read.contains_key(id) => {
                    let Some(reader) = &self.reader else {
                        return Err(TurnError::Failed(format!(
                            "provider `{provider}` takes no PDFs, and this runner cannot read them"
                        )));
                    };
                    let text = pdf_text(reader, name, &given.content, stop).await;
                    if stop.is_cancelled() {
                        return Err(TurnError::Stopped);
                    }
                    self.read.insert(id.clone(), text.map_err(TurnError::Failed)?);
                }
                FileKind::Image | FileKind::Pdf | FileKind::Text => {}
            }
        }
        Ok(())
    }

    /// What the files of a message are for a provider. One that is not in the run any more is named only.
    pub(super) fn parts<'a>(&self, files: &'a [FileRef], takes: &TakesFiles) -> Vec<Part<'a>> {
        files.iter().flat_map(|file| self.part(file, takes)).collect()
    }

    fn part<'a>(&self, file: &'a FileRef, takes: &TakesFiles) -> Vec<Part<'a>> {
        let Some(given) = self.files.iter().find(|given| given.file.id == file.id) else {
            return vec![Part::Text(format!("[the file '{}' is no longer available]", file.name))];
        };
        match file.kind() {
            FileKind::Image => vec![Part::Text(format!("File {}:", file.name)), Part::Image(file)],
            FileKind::Pdf if takes.pdfs => vec![Part::Pdf(file)],
            FileKind::Pdf => {
                vec![Part::Text(in_words(
                    file,
                    self.read.get(&file.id).map(String::as_str).unwrap_or_default(),
                ))]
            }
            FileKind::Text => vec![Part::Text(in_words(file, &String::from_utf8_lossy(&given.content)))],
        }
    }
}

/// A file that is sent as text.
fn in_words(file: &FileRef, text: &str) -> String {
    format!("<file name=\"{}\" type=\"{}\">\n{}\n</file>", file.name, file.media_type, text.trim_end())
}
