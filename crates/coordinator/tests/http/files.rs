//! Files of callers.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::support::{Desk, refused, text};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

/// The id of [`PNG`]: what `sha256sum` prints for it.
const PNG_ID: &str = "file_f02a830cf03a1cf756c0461481db682bc9254a5a399f847494d33850c3ff7156";

async fn upload(desk: &Desk, name: &str, headers: &[(&str, &str)], content: &[u8]) -> (u16, Value) {
    let mut request = Request::post(format!("/files?name={name}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (status, body) = desk.raw(request.body(Body::from(content.to_vec())).unwrap()).await;
    (status.as_u16(), serde_json::from_str(&body).unwrap())
}

async fn id_of(desk: &Desk, name: &str, content: &[u8]) -> String {
    let (status, body) = upload(desk, name, &[], content).await;
    assert_eq!(status, 201, "{body}");
    text(&body, "id")
}

#[tokio::test]
async fn a_file_is_what_its_content_is() {
    let desk = Desk::new();
    let expected = json!({
        "id": PNG_ID, "name": "a b.png", "media_type": "image/png", "bytes": PNG.len(),
        "created_at": "2026-11-01T00:00:00Z", "expires_at": "2026-12-01T00:00:00Z",
    });
    assert_eq!(upload(&desk, "a%20b.png", &[], PNG).await, (201, expected.clone()));
    // The same again: the name stays, and its time begins anew.
    desk.pass(60);
    let again = upload(&desk, "other.png", &[("content-type", "image/png")], PNG).await;
    let mut later = expected;
    later["expires_at"] = json!("2026-12-01T00:01:00Z");
    assert_eq!(again, (201, later));
    let response = desk.open(Request::get(format!("/files/{PNG_ID}")).body(Body::empty()).unwrap()).await;
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "image/png");
    assert_eq!(header("content-disposition"), "attachment; filename=\"a b.png\"");
    assert_eq!(header("content-security-policy"), "default-src 'none'; sandbox");
    assert_eq!(axum::body::to_bytes(response.into_body(), 100).await.unwrap(), PNG);
    let head = Request::head(format!("/files/{PNG_ID}")).body(Body::empty()).unwrap();
    assert_eq!(desk.raw(head).await, (axum::http::StatusCode::OK, String::new()));
    assert_eq!(desk.delete(&format!("/files/{PNG_ID}")).await, (204, Value::Null));
    assert_eq!(refused(&desk.get(&format!("/files/{PNG_ID}")).await), (404, "FileNotFound"));
}

#[tokio::test]
async fn wrong_types_and_sizes_are_refused() {
    let desk = Desk::new();
    let cases: [(&[(&str, &str)], &[u8], u16, &str); 6] = [
        (
            &[("content-type", "image/jpeg")],
            PNG,
            400,
            "the file is image/png by its content, but was sent as image/jpeg",
        ),
        (&[], b"", 400, "the file is empty"),
        (&[], b"PK\x03\x04\0", 415, "expected a PNG, JPEG, GIF or WebP image, a PDF or UTF-8 text"),
        (&[("content-encoding", "gzip")], PNG, 415, "compressed bodies are not supported"),
        (&[("content-length", "99999999")], PNG, 413, "the body is larger than"),
        (
            &[("origin", "https://evil.example"), ("host", "localhost:1")],
            PNG,
            403,
            "uploads from the pages of another site",
        ),
    ];
    for (headers, content, status, message) in cases {
        let (got, body) = upload(&desk, "a", headers, content).await;
        assert_eq!(got, status, "{body}");
        assert!(text(&body, "message").starts_with(message), "{body}");
    }
    let same = [("origin", "http://localhost:1"), ("host", "localhost:1")];
    assert_eq!(upload(&desk, "a", &same, PNG).await.0, 201);
}

#[tokio::test]
async fn a_run_keeps_the_files_of_its_session() {
    let desk = Desk::with_writer().await;
    let image = id_of(&desk, "a.png", PNG).await;
    let words = id_of(&desk, "b.txt", b"words").await;
    let (run, session) =
        desk.run(json!({"agent_name": "writer", "prompt": "a", "files": [image, image]})).await;
    let runner = desk.runner().await;
    let held = desk.complete(&runner, "done").await;
    let file = |id: &str, name: &str, media_type: &str, bytes: usize| json!({"id": id, "name": name, "media_type": media_type, "bytes": bytes});
    let first = file(&image, "a.png", "image/png", PNG.len());
    assert_eq!(held.run["files"], json!([first]));
    assert_eq!(desk.get(&format!("/runs/{run}")).await.1["files"], json!([first]));
    let read = |path: String| async {
        desk.open(Request::get(path).body(Body::empty()).unwrap()).await.status().as_u16()
    };
    assert_eq!(read(format!("/runner/runs/{run}/files/{image}")).await, 200);
    assert_eq!(read(format!("/runs/{run}/files/{image}")).await, 200);
    assert_eq!(read(format!("/runs/{run}/files/{words}")).await, 404);
    let (again, _) = desk.run(json!({"session_id": session, "prompt": "b", "files": [words]})).await;
    let both = json!([first, file(&words, "b.txt", "text/plain", 5)]);
    assert_eq!(desk.complete(&runner, "done").await.run["files"], both);
    for path in [format!("/runs/{again}/retry"), format!("/runs/{again}/fork")] {
        let body = if path.ends_with("fork") { json!({"from_step": 1}) } else { json!({}) };
        let (status, answer) = desk.post(&path, body).await;
        match status {
            201 => assert_eq!(desk.complete(&runner, "done").await.run["files"], both),
            _ => assert_eq!(refused(&(status, answer)), (404, "StepNotFound")),
        }
    }
    // Given again, a file lasts longer; without use it is gone, and a retry says so.
    desk.pass(29 * 24 * 3600);
    assert_eq!(desk.post(&format!("/runs/{run}/retry"), json!({})).await.0, 201);
    desk.pass(29 * 24 * 3600);
    desk.reconcile().await;
    assert_eq!(read(format!("/files/{image}")).await, 200);
    assert_eq!(read(format!("/files/{words}")).await, 404);
    let (status, gone) = desk.post(&format!("/runs/{again}/retry"), json!({})).await;
    assert_eq!(refused(&(status, gone.clone())), (404, "FileNotFound"));
    assert!(text(&gone, "message").ends_with("has expired or was deleted; upload the file again"), "{gone}");
}

#[tokio::test]
async fn parameters_name_files_of_their_type() {
    let desk = Desk::new();
    let schema = json!({
        "type": "object", "required": ["photo"], "additionalProperties": false,
        "properties": {
            "photo": {"type": "string", "x-file": "image/*"},
            "more": {"type": "array", "items": {"type": "string", "x-file": ["application/pdf", "text/*"]}},
        },
    });
    desk.agent(json!({"name": "reader", "parameters_schema": schema})).await;
    let image = id_of(&desk, "a.png", PNG).await;
    let words = id_of(&desk, "b.txt", b"words").await;
    let run =
        |parameters: Value| desk.post("/runs", json!({"agent_name": "reader", "parameters": parameters}));
    let (status, created) = run(json!({"photo": image, "more": [words]})).await;
    assert_eq!(status, 201, "{created}");
    let view = desk.get(&format!("/runs/{}", text(&created, "run_id"))).await.1;
    let names: Vec<&str> =
        view["files"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a.png", "b.txt"]);
    let cases = [
        (
            json!({"photo": words}),
            "$.photo: expected the id of a file of type image/*, got 'b.txt' of type text/plain",
        ),
        (json!({"photo": "me.png"}), "$.photo: expected the id of a file of type image/*, got another text"),
        (
            json!({"photo": image, "more": [image]}),
            "$.more[0]: expected the id of a file of type application/pdf or text/*, got 'a.png' of type image/png",
        ),
    ];
    for (parameters, expected) in cases {
        let (status, body) = run(parameters).await;
        assert_eq!(refused(&(status, body.clone())), (400, "ParameterValidationFailed"));
        assert!(text(&body, "message").starts_with(expected), "{body}");
    }
    let absent = format!("file_{}", "0".repeat(64));
    assert_eq!(refused(&run(json!({"photo": absent})).await), (404, "FileNotFound"));
}

#[tokio::test]
async fn who_reads_no_files_gets_none() {
    let desk = Desk::new();
    desk.agent(json!({"name": "command", "executor": {"type": "process", "command": ["cat"]}})).await;
    let image = id_of(&desk, "a.png", PNG).await;
    let (status, body) =
        desk.post("/runs", json!({"agent_name": "command", "prompt": "a", "files": [image]})).await;
    assert_eq!(refused(&(status, body.clone())), (400, "InvalidRequest"));
    assert!(text(&body, "message").contains("executor 'process', which takes no files"), "{body}");
    desk.agent(json!({"name": "writer"})).await;
    let mut files = Vec::new();
    for number in 0..21 {
        files.push(id_of(&desk, "a.txt", format!("{number}").as_bytes()).await);
    }
    let (status, body) =
        desk.post("/runs", json!({"agent_name": "writer", "prompt": "a", "files": files})).await;
    assert_eq!(refused(&(status, body.clone())), (413, "RequestTooLarge"));
    assert!(text(&body, "message").contains("at most 20 files, got 21"), "{body}");
}

#[tokio::test]
async fn a_file_belongs_to_its_key() {
    let desk = Desk::with_writer().await;
    let (_, admin) = desk.post("/keys", json!({"name": "admin", "role": "admin"})).await;
    let admin = text(&admin, "key");
    let caller = |name: &'static str| {
        let admin = admin.clone();
        let desk = &desk;
        async move {
            let body = json!({"name": name, "role": "caller"});
            text(&desk.ask_as(&admin, "POST", "/keys", Some(body)).await.1, "key")
        }
    };
    let (one, other) = (caller("one").await, caller("other").await);
    let bearer = format!("Bearer {one}");
    let id = text(&upload(&desk, "a.png", &[("authorization", &bearer)], PNG).await.1, "id");
    let path = format!("/files/{id}");
    let body = || Some(json!({"agent_name": "writer", "prompt": "a", "files": [id]}));
    assert_eq!(refused(&desk.ask_as(&other, "DELETE", &path, None).await), (404, "FileNotFound"));
    assert_eq!(refused(&desk.ask_as(&other, "POST", "/runs", body()).await), (404, "FileNotFound"));
    assert_eq!(desk.ask_as(&one, "POST", "/runs", body()).await.0, 201);
    assert_eq!(desk.ask_as(&one, "DELETE", &path, None).await.0, 204);
}

#[tokio::test]
async fn parts_of_messages_become_files_of_the_run() {
    let desk = Desk::with_writer().await;
    let encoded = "iVBORw0KGgpyZXN0";
    let runner = desk.runner().await;
    let requests = [
        (
            "/v1/chat/completions",
            json!({"model": "writer", "messages": [{"role": "user", "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{encoded}")}},
                {"type": "file", "file": {"filename": "b.txt", "file_data": "d29yZHM="}},
            ]}]}),
        ),
        (
            "/v1/responses",
            json!({"model": "writer", "background": true, "store": true, "input": [{"role": "user", "content": [
                {"type": "input_text", "text": "What is this?"},
                {"type": "input_image", "image_url": format!("data:image/png;base64,{encoded}")},
                {"type": "input_file", "filename": "b.txt", "file_data": "data:text/plain;base64,d29yZHM="},
            ]}]}),
        ),
    ];
    for (path, body) in requests {
        let (answered, held) = tokio::join!(desk.post(path, body), async {
            loop {
                let (_, body) = desk.get("/runs?status=pending").await;
                if !body["items"].as_array().unwrap().is_empty() {
                    return desk.complete(&runner, "a cat").await;
                }
                tokio::task::yield_now().await;
            }
        });
        assert_eq!(answered.0, 200, "{}", answered.1);
        let files: Vec<_> = held.run["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| (text(file, "name"), text(file, "media_type")))
            .collect();
        let expected = [("file.png", "image/png"), ("b.txt", "text/plain")];
        assert_eq!(
            files,
            expected.map(|(name, media_type)| (name.to_owned(), media_type.to_owned())),
            "{path}"
        );
        assert_eq!(held.run["parameters"], json!({"prompt": "What is this?"}));
    }
    let image = json!({"type": "image_url", "image_url": {"url": "https://h/a.png"}});
    let (status, body) = desk
        .post(
            "/v1/chat/completions",
            json!({"model": "writer", "messages": [{"role": "user", "content": [image]}]}),
        )
        .await;
    assert_eq!(status, 400, "{body}");
    assert!(text(&body["error"], "message").contains("URLs are not fetched"), "{body}");
}
