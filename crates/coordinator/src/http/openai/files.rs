//! Parts of messages that are files: images and documents, in the form of either API.
//!
//! They become files of the run, in the order in which they were sent. A URL is refused: the coordinator fetches nothing that
//! somebody else names.

use accord_domain::id::FileId;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::fields::invalid;
use crate::app::Upload;
use crate::error::Error;

/// The types of parts that are files.
const KINDS: [&str; 4] = ["image_url", "file", "input_image", "input_file"];

/// A file in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Uploaded(FileId),
    Content(Upload),
}

/// Whether parts of this type are files.
pub(super) fn is_file(kind: &str) -> bool {
    KINDS.contains(&kind)
}

/// The files of messages, or of items. `field` is what the request calls them.
pub(super) fn of_messages(field: &str, messages: &[Value]) -> Result<Vec<Part>, Error> {
    let mut files = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let parts = message.get("content").and_then(Value::as_array);
        for (number, part) in parts.into_iter().flatten().enumerate() {
            if part.get("type").and_then(Value::as_str).is_some_and(is_file) {
                files.push(of_part(&format!("{field}[{index}].content[{number}]"), part)?);
            }
        }
    }
    Ok(files)
}

fn of_part(place: &str, part: &Value) -> Result<Part, Error> {
    // Chat Completions puts the fields into an object of the part's name, Responses into the part itself.
    let fields = part.get("file").filter(|fields| fields.is_object()).unwrap_or(part);
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    if let Some(id) = text("file_id") {
        let id = id.parse().map_err(|_| {
            let message = format!(
                "{place}: expected the id of a file that was uploaded with POST /files, such as file_9f86d0…"
            );
            invalid(place, message)
        })?;
        return Ok(Part::Uploaded(id));
    }
    let image = part.get("image_url");
    let image = image.and_then(|image| image.get("url").unwrap_or(image).as_str());
    let name = text("filename").map(str::to_owned);
    match (image.or_else(|| text("file_data")), text("file_url")) {
        (Some(data), _) => content(place, name, data),
        (None, Some(_)) => Err(not_fetched(place)),
        (None, None) => {
            let message = format!("{place}: expected a data URL, file_data or file_id");
            Err(invalid(place, message))
        }
    }
}

fn content(place: &str, name: Option<String>, data: &str) -> Result<Part, Error> {
    let (media_type, encoded) = match data.strip_prefix("data:") {
        Some(rest) => match rest.split_once(";base64,") {
            Some((media_type, encoded)) => (Some(media_type.to_owned()), encoded),
            None => {
                let message = format!("{place}: expected a data URL in base64, data:TYPE;base64,…");
                return Err(invalid(place, message));
            }
        },
        None if data.contains("://") => return Err(not_fetched(place)),
        None => (None, data),
    };
    let content = STANDARD
        .decode(encoded.trim())
        .map_err(|error| invalid(place, format!("{place}: the content is not valid base64: {error}")))?;
    Ok(Part::Content(Upload { name, media_type, content }))
}

fn not_fetched(place: &str) -> Error {
    let message = format!(
        "{place}: URLs are not fetched; send the content as a data URL (data:image/png;base64,…), or upload it with POST /files and send its file_id"
    );
    invalid(place, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(part: &Value) -> Result<Vec<Part>, String> {
        of_messages("messages", &[json!({"role": "user", "content": [{"type": "text", "text": "a"}, part]})])
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn both_forms_of_a_file_are_read() {
        let part = |name: Option<&str>, media_type: Option<&str>| {
            Part::Content(Upload {
                name: name.map(str::to_owned),
                media_type: media_type.map(str::to_owned),
                content: b"abc".to_vec(),
            })
        };
        let png = "data:image/png;base64,YWJj";
        let id = format!("file_{}", "a".repeat(64));
        let cases = [
            (
                json!({"type": "image_url", "image_url": {"url": png, "detail": "low"}}),
                part(None, Some("image/png")),
            ),
            (json!({"type": "image_url", "image_url": png}), part(None, Some("image/png"))),
            (json!({"type": "input_image", "image_url": png}), part(None, Some("image/png"))),
            (
                json!({"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,YWJj"}}),
                part(Some("a.pdf"), Some("application/pdf")),
            ),
            (
                json!({"type": "input_file", "filename": "a.txt", "file_data": "YWJj"}),
                part(Some("a.txt"), None),
            ),
            (json!({"type": "file", "file": {"file_id": id}}), Part::Uploaded(id.parse().unwrap())),
            (json!({"type": "input_image", "file_id": id}), Part::Uploaded(id.parse().unwrap())),
        ];
        for (written, expected) in cases {
            assert_eq!(read(&written), Ok(vec![expected]), "{written}");
        }
    }

    #[test]
    fn what_is_no_content_is_refused() {
        let place = "messages[0].content[1]";
        let urls = format!("{place}: URLs are not fetched; send the content as a data URL");
        let cases = [
            (json!({"type": "image_url", "image_url": {"url": "https://h/a.png"}}), urls.clone()),
            (json!({"type": "input_file", "file_url": "file:///etc/passwd"}), urls),
            (
                json!({"type": "image_url", "image_url": {"url": "data:image/png,abc"}}),
                format!("{place}: expected a data URL in base64"),
            ),
            (
                json!({"type": "image_url", "image_url": "data:image/png;base64,a"}),
                format!("{place}: the content is not valid base64"),
            ),
            (
                json!({"type": "input_file", "file_id": "file-abc"}),
                format!("{place}: expected the id of a file"),
            ),
            (json!({"type": "input_image"}), format!("{place}: expected a data URL, file_data or file_id")),
        ];
        for (written, expected) in cases {
            let message = read(&written).unwrap_err();
            assert!(message.starts_with(&expected), "{message}\n{expected}");
        }
    }
}
