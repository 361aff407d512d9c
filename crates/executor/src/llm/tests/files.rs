//! Files in requests, by dialect.

use std::sync::Arc;

use accord_domain::file::FileRef;
use accord_domain::id::FileId;
use accord_domain::provider::ProviderKind;
use serde_json::{Value, json};

use super::samples::{Say, streamed};
use super::script::{Canned, Opened, Script, open, settings, start, turn};
use crate::{Delivery, Files, GivenFile, Start, TurnError};

fn given(name: &str, media_type: &str, content: &[u8]) -> GivenFile {
    let id = FileId::new(name.replace('.', "-"));
    let bytes = content.len() as u64;
    let file = FileRef { id, name: name.to_owned(), media_type: media_type.to_owned(), bytes };
    GivenFile { file, content: Arc::from(content) }
}

fn image() -> GivenFile {
    given("a.png", "image/png", b"png")
}

fn pdf() -> GivenFile {
    given("b.pdf", "application/pdf", b"%PDF-1.7")
}

fn words() -> GivenFile {
    given("c.csv", "text/csv", b"n,m\n1,2\n")
}

async fn opened_with(script: &Arc<Script>, provider: &str, files: &[GivenFile]) -> Opened {
    let files = Files::new(files.to_vec());
    open(script, Start { files, ..start(settings(provider, json!({})), &[], None) }).await.unwrap()
}

/// The first request of a run with these files.
async fn request(provider: &str, files: &[GivenFile]) -> crate::Request {
    let script = Script::new([streamed(provider, Say::Text("ok"))]);
    let mut opened = opened_with(&script, provider, files).await;
    opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
    script.requests().pop().unwrap()
}

const MARK: &str = "accord-file:file_a-png";
const TEXT: &str = "<file name=\"c.csv\" type=\"text/csv\">\nn,m\n1,2\n</file>";

/// The form of every dialect, with marks in the place of contents.
#[tokio::test]
async fn each_dialect_has_its_form() {
    let url = format!("data:image/png;base64,{MARK}");
    let pdf_url = "data:application/pdf;base64,accord-file:file_b-pdf";
    let text = |text: &str| json!({"type": "text", "text": text});
    let chat_image = json!({"type": "image_url", "image_url": {"url": url}});
    let source =
        |media_type: &str, mark: &str| json!({"type": "base64", "media_type": media_type, "data": mark});
    let cases: [(&str, &[GivenFile], &str, Value); 7] = [
        (
            "anthropic",
            &[image(), pdf(), words()],
            "/messages",
            json!([{"role": "user", "content": [
                text("File a.png:"),
                {"type": "image", "source": source("image/png", MARK)},
                {"type": "document", "source": source("application/pdf", "accord-file:file_b-pdf"), "title": "b.pdf"},
                text(TEXT),
                text("Judge"),
            ]}]),
        ),
        (
            "openai",
            &[image(), pdf()],
            "/input",
            json!([{"role": "user", "content": [
                {"type": "input_text", "text": "File a.png:"},
                {"type": "input_image", "image_url": url, "detail": "auto"},
                {"type": "input_file", "filename": "b.pdf", "file_data": pdf_url},
            ]}, {"role": "user", "content": "Judge"}]),
        ),
        (
            "openai-chat",
            &[image(), pdf()],
            "/messages/1",
            json!({"role": "user", "content": [
                text("File a.png:"), chat_image,
                {"type": "file", "file": {"filename": "b.pdf", "file_data": pdf_url}},
                text("Judge"),
            ]}),
        ),
        (
            "cohere",
            &[image()],
            "/messages/1",
            json!({"role": "user", "content": [text("File a.png:"), chat_image, text("Judge")]}),
        ),
        (
            "gemini",
            &[image(), pdf()],
            "/contents",
            json!([{"role": "user", "parts": [
                {"text": "File a.png:"},
                {"inlineData": {"mimeType": "image/png", "data": MARK}},
                {"inlineData": {"mimeType": "application/pdf", "data": "accord-file:file_b-pdf"}},
                {"text": "Judge"},
            ]}]),
        ),
        (
            "bedrock",
            &[image(), pdf()],
            "/messages",
            json!([{"role": "user", "content": [
                {"text": "File a.png:"},
                {"image": {"format": "png", "source": {"bytes": MARK}}},
                {"document": {"format": "pdf", "name": "b-pdf-b-pdf", "source": {"bytes": "accord-file:file_b-pdf"}}},
                {"text": "Judge"},
            ]}]),
        ),
        (
            "ollama",
            &[image(), words()],
            "/messages/1",
            json!({"role": "user", "content": format!("File a.png:\n\n{TEXT}\n\nJudge"), "images": [MARK]}),
        ),
    ];
    for (provider, files, pointer, expected) in cases {
        let request = request(provider, files).await;
        assert_eq!(request.body.pointer(pointer), Some(&expected), "{provider}");
        assert!(!request.body.to_string().contains("cG5n"), "{provider}: the body has no contents");
        let sent = request.whole_body().to_string();
        assert!(sent.contains("cG5n") && !sent.contains("accord-file:"), "{provider}: {sent}");
    }
}

/// Every provider takes text, and says what it takes of images.
#[tokio::test]
async fn every_provider_takes_what_its_row_says() {
    for kind in ProviderKind::ALL {
        let takes = kind.row().files;
        for image in accord_domain::file::IMAGES {
            let file = given("a.img", image, b"png");
            let script = Script::new([streamed(kind.name(), Say::Text("ok"))]);
            let mut opened = opened_with(&script, kind.name(), &[file, words()]).await;
            let answer = opened.ask(turn("Judge", Delivery::Text)).await;
            match takes.images.contains(image) {
                true => assert_eq!(answer.unwrap().text, "ok", "{}", kind.name()),
                false => {
                    let TurnError::Failed(message) = answer.unwrap_err().error else { unreachable!() };
                    let begin = format!("the file 'a.img' is {image}, but provider `{}` takes", kind.name());
                    assert!(message.starts_with(&begin), "{message}");
                    assert!(script.bodies().is_empty());
                }
            }
        }
    }
}

#[tokio::test]
async fn files_are_sent_once_and_kept_by_their_id() {
    let script = Script::new(
        [Say::Text("one"), Say::Text("two"), Say::Text("three")].map(|say| streamed("openai-chat", say)),
    );
    let mut first = opened_with(&script, "openai-chat", &[image()]).await;
    first.ask(turn("Judge", Delivery::Text)).await.unwrap();
    first.ask(turn("Again", Delivery::Text)).await.unwrap();
    let stored = first.session.conversation().unwrap();
    let bytes = stored.to_string();
    assert!(bytes.contains("file_a-png") && !bytes.contains("cG5n"), "{bytes}");
    // A later run of the session has another file too, and only that one is new.
    let files = Files::new([image(), words()]);
    let start = Start { files, ..start(settings("openai-chat", json!({})), &[], Some(stored)) };
    let mut later = open(&script, start).await.unwrap();
    later.ask(turn("And this?", Delivery::Text)).await.unwrap();
    let bodies: Vec<String> = script.bodies().iter().map(Value::to_string).collect();
    assert_eq!(bodies.iter().map(|body| body.matches(MARK).count()).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(bodies.iter().map(|body| body.matches("n,m").count()).collect::<Vec<_>>(), [0, 0, 1]);
}

#[tokio::test]
async fn a_pdf_needs_a_reader_where_none_are_taken() {
    let script = Script::new(Vec::<Canned>::new());
    let mut opened = opened_with(&script, "ollama", &[pdf()]).await;
    let error = opened.ask(turn("Judge", Delivery::Text)).await.unwrap_err().error;
    let message = "provider `ollama` takes no PDFs, and this runner cannot read them";
    assert_eq!(error, TurnError::Failed(message.to_owned()));
}
