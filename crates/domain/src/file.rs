//! Files of callers: images, PDFs and texts that a run is given.
//!
//! The type of a file is what its content says. A declared type has to agree: a runner, a model and a browser would each
//! believe another one otherwise.

use serde::{Deserialize, Serialize};

use crate::id::FileId;

/// The largest file. In base64 it is a third larger, and providers take requests of 20 to 50 MB.
pub const MOST_FILE_BYTES: usize = 10 * 1024 * 1024;

/// How many files a run has, with those of earlier runs of its session: providers take 20 to 100 images in one request.
pub const MOST_FILES_OF_RUN: usize = 20;

/// How large they are together: in base64 they fit into 20 MB, the smallest limit of a request (Gemini's).
pub const MOST_BYTES_OF_RUN: u64 = 14 * 1024 * 1024;

/// Names are shown to models and in lists.
const LONGEST_NAME: usize = 200;

/// Images that are taken.
pub const IMAGES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];

pub const PDF: &str = "application/pdf";

/// What text is called if nothing more is known.
pub const TEXT: &str = "text/plain";

/// Text by its type, besides `text/…`.
const TEXTS: &[&str] = &[
    "application/json",
    "application/jsonl",
    "application/xml",
    "application/yaml",
    "application/toml",
    "application/sql",
    "application/javascript",
    "application/x-ndjson",
    "application/x-yaml",
];

/// What programs send for a file whose type they do not know. curl sends the last one.
const UNKNOWN: &[&str] =
    &["", "application/octet-stream", "binary/octet-stream", "application/x-www-form-urlencoded"];

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FileRef {
    /// Id: the SHA-256 of the content.
    pub id: FileId,
    /// Name, for people and models.
    pub name: String,
    /// Media type, as the content says.
    pub media_type: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// What a model can do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    Image,
    Pdf,
    Text,
}

impl FileRef {
    pub fn kind(&self) -> FileKind {
        match self.media_type.as_str() {
            PDF => FileKind::Pdf,
            image if IMAGES.contains(&image) => FileKind::Image,
            _ => FileKind::Text,
        }
    }

    /// A list as stores keep it: most runs have none, and nothing is written for those.
    pub fn write_list(files: &[Self]) -> Option<String> {
        serde_json::to_string(files).ok().filter(|_| !files.is_empty())
    }

    pub fn read_list(text: Option<&str>) -> serde_json::Result<Vec<Self>> {
        text.map(serde_json::from_str).transpose().map(Option::unwrap_or_default)
    }
}

/// Why a content is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("the file is empty")]
    Empty,
    #[error("the file has {0} bytes; expected at most {most}", most = MOST_FILE_BYTES)]
    TooLarge(usize),
    #[error("the file is {found} by its content, but was sent as {declared}; send it as {found}")]
    Mismatch { declared: String, found: String },
    #[error(
        "expected a PNG, JPEG, GIF or WebP image, a PDF or UTF-8 text; got {0}. Convert the file to one of these"
    )]
    Unsupported(String),
}

/// The media type of a content that was declared as this, or not at all.
pub fn media_type(declared: Option<&str>, content: &[u8]) -> Result<String, FileError> {
    if content.is_empty() {
        return Err(FileError::Empty);
    }
    if content.len() > MOST_FILE_BYTES {
        return Err(FileError::TooLarge(content.len()));
    }
    let declared = declared.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let declared = match declared.to_ascii_lowercase() {
        jpeg if jpeg == "image/jpg" => "image/jpeg".to_owned(),
        other => other,
    };
    let is_unknown = UNKNOWN.contains(&declared.as_str());
    match known(content) {
        Some(found) if is_unknown || declared == found => Ok(found.to_owned()),
        Some(found) => Err(FileError::Mismatch { declared, found: found.to_owned() }),
        None if !is_text(content) => {
            Err(FileError::Unsupported(if is_unknown { "binary data".to_owned() } else { declared }))
        }
        None if is_unknown => Ok(TEXT.to_owned()),
        None if is_text_type(&declared) => Ok(declared),
        None => Err(FileError::Mismatch { declared, found: TEXT.to_owned() }),
    }
}

/// The type that the first bytes of a content say.
fn known(content: &[u8]) -> Option<&'static str> {
    let begins = |with: &[u8]| content.starts_with(with);
    if begins(b"\x89PNG\r\n\x1a\n") {
        return Some("image/png");
    }
    if begins(b"\xff\xd8\xff") {
        return Some("image/jpeg");
    }
    if begins(b"GIF87a") || begins(b"GIF89a") {
        return Some("image/gif");
    }
    if begins(b"RIFF") && content.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    begins(b"%PDF-").then_some(PDF)
}

fn is_text(content: &[u8]) -> bool {
    !content.contains(&0) && std::str::from_utf8(content).is_ok()
}

fn is_text_type(media_type: &str) -> bool {
    media_type.starts_with("text/")
        || TEXTS.contains(&media_type)
        || media_type.ends_with("+json")
        || media_type.ends_with("+xml")
}

/// A name that is safe in a prompt, a header and a folder: the last part of a path, without control characters and separators.
pub fn file_name(given: Option<&str>, media_type: &str) -> String {
    let last = given.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default();
    let is_plain =
        |each: &char| !each.is_control() && !matches!(each, '"' | '<' | '>' | ':' | '|' | '?' | '*');
    let name: String = last.chars().filter(is_plain).take(LONGEST_NAME).collect();
    match name.trim().trim_start_matches('.') {
        "" => format!("file.{}", extension(media_type)),
        name => name.to_owned(),
    }
}

fn extension(media_type: &str) -> &'static str {
    match media_type {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        PDF => "pdf",
        "application/json" => "json",
        "text/csv" => "csv",
        "text/markdown" => "md",
        _ => "txt",
    }
}

/// Whether a media type is one of a pattern such as `image/*`.
pub fn matches(pattern: &str, media_type: &str) -> bool {
    match pattern.strip_suffix("/*") {
        Some("*") => true,
        Some(family) => media_type.split_once('/').is_some_and(|(of, _)| of == family),
        None => pattern == media_type,
    }
}

/// Why a run cannot have these files, if it cannot.
pub fn over_limit(files: &[FileRef]) -> Option<String> {
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    if files.len() > MOST_FILES_OF_RUN {
        return Some(format!("a run has at most {MOST_FILES_OF_RUN} files, got {}; give fewer", files.len()));
    }
    (bytes > MOST_BYTES_OF_RUN).then(|| {
        format!("the files of a run have at most {MOST_BYTES_OF_RUN} bytes together, got {bytes}; give fewer or smaller ones")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    #[test]
    fn the_content_says_the_type() {
        let cases: [(&[u8], &str); 7] = [
            (PNG, "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF89a", "image/gif"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
            (b"%PDF-1.7", "application/pdf"),
            (b"a,b\n1,2", "text/plain"),
            ("é".as_bytes(), "text/plain"),
        ];
        for (content, expected) in cases {
            for declared in [None, Some("application/octet-stream")] {
                assert_eq!(media_type(declared, content).as_deref(), Ok(expected));
            }
        }
        assert_eq!(media_type(Some("text/csv; charset=utf-8"), b"a,b").as_deref(), Ok("text/csv"));
        assert_eq!(media_type(Some("image/JPG"), b"\xff\xd8\xff").as_deref(), Ok("image/jpeg"));
    }

    #[test]
    fn other_content_is_refused() {
        let message = |declared, content: &[u8]| media_type(declared, content).unwrap_err().to_string();
        assert_eq!(message(None, b""), "the file is empty");
        assert_eq!(
            message(Some("image/jpeg"), PNG),
            "the file is image/png by its content, but was sent as image/jpeg; send it as image/png"
        );
        assert_eq!(
            message(Some("application/pdf"), b"hello"),
            "the file is text/plain by its content, but was sent as application/pdf; send it as text/plain"
        );
        let unsupported = "expected a PNG, JPEG, GIF or WebP image, a PDF or UTF-8 text; got";
        assert!(message(None, b"PK\x03\x04\0\0").starts_with(&format!("{unsupported} binary data")));
        assert!(
            message(Some("video/mp4"), b"\0\0\0\x18ftyp").starts_with(&format!("{unsupported} video/mp4"))
        );
        let large = vec![b'a'; MOST_FILE_BYTES + 1];
        assert_eq!(message(None, &large), "the file has 10485761 bytes; expected at most 10485760");
    }

    #[test]
    fn names_are_safe() {
        let cases = [
            (Some("../../etc/passwd"), "passwd"),
            (Some("C:\\temp\\a.png"), "a.png"),
            (Some("a\"\r\nb.txt"), "ab.txt"),
            (Some("..."), "file.txt"),
            (Some(".env"), "env"),
            (None, "file.txt"),
        ];
        for (given, expected) in cases {
            assert_eq!(file_name(given, TEXT), expected);
        }
    }

    #[test]
    fn patterns_match_families() {
        for (pattern, media_type, expected) in [
            ("image/*", "image/png", true),
            ("image/*", "application/pdf", false),
            ("application/pdf", PDF, true),
            ("*/*", PDF, true),
            ("image/p", "image/png", false),
        ] {
            assert_eq!(matches(pattern, media_type), expected, "{pattern} {media_type}");
        }
    }
}
