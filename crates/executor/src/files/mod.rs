//! Files that a run was given.
//!
//! A conversation, a step and a recording name a file by its id, the hash of its content. So does a request body, in the place
//! of the content, until the moment it is signed or sent: recordings stay small, and a replay needs no content.

mod folder;
mod pdf;

use std::sync::Arc;

use accord_domain::file::FileRef;
use accord_domain::id::FileId;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

pub use folder::WithFolder;
pub(crate) use pdf::text as pdf_text;
pub use pdf::{PDF_READER, PdfReader, read_pdf};

/// What stands for a content in a request body.
const MARK: &str = "accord-file:";

/// A file with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenFile {
    pub file: FileRef,
    pub content: Arc<[u8]>,
}

/// The files of a run. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files(Arc<[GivenFile]>);

impl Files {
    pub fn new(files: impl IntoIterator<Item = GivenFile>) -> Self {
        Self(files.into_iter().collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &GivenFile> {
        self.0.iter()
    }

    fn content(&self, id: &str) -> Option<&[u8]> {
        self.iter().find(|given| given.file.id.as_str() == id).map(|given| given.content.as_ref())
    }

    /// Puts the contents into a request body. A text of somebody else that looks like a mark can only name a file that this run
    /// was given anyway.
    pub(crate) fn fill(&self, body: &mut Value) {
        if self.is_empty() {
            return;
        }
        match body {
            Value::String(text) => {
                if let Some(filled) = self.filled(text) {
                    *text = filled;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill(item)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.fill(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn filled(&self, text: &str) -> Option<String> {
        let at = match text.strip_prefix("data:") {
            Some(rest) => text.len() - rest.len() + rest.find(MARK)?,
            None => 0,
        };
        let (before, mark) = text.split_at_checked(at)?;
        let content = self.content(mark.strip_prefix(MARK)?)?;
        let mut filled = String::with_capacity(before.len() + content.len().div_ceil(3) * 4);
        filled.push_str(before);
        STANDARD.encode_string(content, &mut filled);
        Some(filled)
    }
}

/// What stands for a content in base64.
pub(crate) fn mark(id: &FileId) -> String {
    format!("{MARK}{id}")
}

/// The same as a data URL.
pub(crate) fn data_url(file: &FileRef) -> String {
    format!("data:{};base64,{}", file.media_type, mark(&file.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn marks_are_filled_and_other_texts_stay() {
        let file =
            FileRef { id: FileId::new("a"), name: "a.png".into(), media_type: "image/png".into(), bytes: 3 };
        let files = Files::new([GivenFile { file: file.clone(), content: Arc::from(*b"abc") }]);
        let mut body = json!({
            "data": mark(&file.id),
            "url": [data_url(&file)],
            "text": ["see accord-file:file_a", "accord-file:file_b", "data:text/plain,hello", "accord-file:file_a ", 1],
        });
        let unfilled = body.clone();
        Files::default().fill(&mut body);
        assert_eq!(body, unfilled);
        files.fill(&mut body);
        assert_eq!(body["data"], "YWJj");
        assert_eq!(body["url"], json!(["data:image/png;base64,YWJj"]));
        assert_eq!(body["text"], unfilled["text"]);
    }
}
