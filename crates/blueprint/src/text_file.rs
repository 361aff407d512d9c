//! Reading and replacing text files.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use jiff::Timestamp;
use thiserror::Error;

/// Why a file cannot be read, as the rest of a sentence that begins with its name.
#[derive(Debug, Error)]
pub(crate) enum ReadError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("is not a file")]
    NotAFile,
    #[error("is a link that points outside the agents folder")]
    Outside,
    #[error("has more than {0} bytes")]
    TooLong(u64),
    #[error("is not valid UTF-8 at byte {0}")]
    NotUtf8(usize),
    #[error("is not a text file: byte {0} is NUL")]
    Nul(usize),
}

/// Reads a regular file, because a pipe or a device could block forever. Returns its text and when it was modified.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<(String, Option<Timestamp>), ReadError> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLong(limit));
    }
    let text =
        String::from_utf8(bytes).map_err(|error| ReadError::NotUtf8(error.utf8_error().valid_up_to() + 1))?;
    let modified_at = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
    Ok((text, modified_at))
}

/// Replaces the text of a file, so that a reader sees the old text or the new one and nothing between.
pub(crate) fn replace(file: &Path, text: &str) -> io::Result<()> {
    // If the file is a link to another file of the folder, that file is written.
    let file = fs::canonicalize(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let temporary = file.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = (|| {
        let permissions = fs::metadata(&file)?.permissions();
        if permissions.readonly() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        let mut output = File::create(&temporary)?;
        output.write_all(text.as_bytes())?;
        output.sync_all()?;
        fs::set_permissions(&temporary, permissions)?;
        fs::rename(&temporary, &file)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}
