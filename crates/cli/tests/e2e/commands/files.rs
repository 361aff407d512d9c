//! Files on the command line, and what models get of them.

use accord_test_support::Reply;
use serde_json::{Value, json};

use super::run;
use crate::support::{Project, agent, model};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

/// A PDF of one page with this text; `more` goes into its trailer.
fn pdf(text: &str, more: &str) -> Vec<u8> {
    let stream = format!("BT /F1 24 Tf 72 700 Td ({text}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", index + 1);
    }
    let table = file.len();
    file += &format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    places.iter().for_each(|place| file += &format!("{place:010} 00000 n \n"));
    file += &format!(
        "trailer\n<< /Size {} /Root 1 0 R {more} >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    );
    file.into_bytes()
}

const ENCRYPTED: &str = "/Encrypt << /Filter /Standard /V 1 /R 2 /O (01234567890123456789012345678901) \
                         /U (01234567890123456789012345678901) /P -4 >> /ID [<00> <00>]";

#[tokio::test]
async fn files_reach_the_model_and_replay_without_their_content() {
    let schema = json!({
        "type": "object", "required": ["photo"],
        "properties": {"photo": {"type": "string", "x-file": "image/*"}},
    });
    let model = model([Reply::text("a cat"), Reply::text("a cat")]).await;
    let project = Project::new().agent(&agent("looks", &model, &json!({}))).agent(&agent(
        "checks",
        &model,
        &json!({"parameters_schema": schema}),
    ));
    let folder = project.path();
    std::fs::write(folder.join("a.png"), PNG).unwrap();
    std::fs::write(folder.join("b.csv"), "n,m\n1,2\n").unwrap();
    let ran =
        run(folder, &["run", "looks", "What is this?", "--file", "a.png", "--file", "b.csv", "--json"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let content = model.requests().remove(0).body["messages"][0]["content"].clone();
    assert_eq!(
        content[1]["source"],
        json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgpyZXN0"})
    );
    assert_eq!(content[2]["text"], "<file name=\"b.csv\" type=\"text/plain\">\nn,m\n1,2\n</file>");
    assert_eq!(content[3]["text"], "What is this?");

    // A parameter that is a file takes a path; the model gets the name. The recording has neither path nor content.
    let recorded = ["record", "checks", "--param", "photo=a.png", "--output", "tape.json"];
    run(folder, &recorded).await.ends(0, &[]);
    let asked = model.requests().remove(1).body["messages"][0]["content"].to_string();
    assert!(
        asked.contains("iVBORw0KGgpyZXN0") && asked.contains("a.png") && !asked.contains("file_"),
        "{asked}"
    );
    let tape = std::fs::read_to_string(folder.join("tape.json")).unwrap();
    assert_eq!(tape.matches("iVBORw0KGgpyZXN0").count(), 1, "{tape}");
    assert!(tape.contains("accord-file:file_"), "{tape}");
    drop(model);
    run(folder, &["replay", "tape.json"]).await.ends(0, &["all match the recording"]);

    run(folder, &["run", "looks", "Go", "--file", "absent.png"])
        .await
        .ends(1, &["cannot read the file absent.png"]);
    std::fs::write(folder.join("c.zip"), b"PK\x03\x04\0\0").unwrap();
    run(folder, &["run", "looks", "Go", "--file", "c.zip"]).await.ends(1, &["UTF-8 text; got binary data"]);
    run(folder, &["run", "checks", "--param", "photo=b.csv"])
        .await
        .ends(1, &["$.photo: expected the id of a file of type image/*, got 'b.csv' of type text/plain"]);
}

/// A provider that takes no PDFs gets their text, and the attempt says so.
#[tokio::test]
async fn a_pdf_is_sent_as_its_text_where_none_are_taken() {
    let model = model([Reply::text("42"), Reply::text("42")]).await;
    let by = |provider: &str, url: String| {
        let executor = json!({"type": "llm", "provider": provider, "model": "m", "base_url": url});
        agent(provider, &model, &json!({"executor": executor}))
    };
    let project = Project::new().agent(&by("anthropic", model.url())).agent(&by("ollama", model.url()));
    let folder = project.path();
    std::fs::write(folder.join("a.pdf"), pdf("Total 42", "")).unwrap();
    for provider in ["anthropic", "ollama"] {
        run(folder, &["run", provider, "How much?", "--file", "a.pdf"]).await.ends(0, &[]);
    }
    let requests = model.requests();
    let block = &requests[0].body["messages"][0]["content"][0];
    assert_eq!(
        (&block["type"], &block["source"]["media_type"]),
        (&json!("document"), &json!("application/pdf"))
    );
    let said = requests[1].body["messages"][1]["content"].as_str().unwrap();
    assert!(
        said.starts_with("<file name=\"a.pdf\" type=\"application/pdf\">\n") && said.contains("Total 42"),
        "{said}"
    );
    let runs = run(folder, &["runs", "list", "--json"]).await.json();
    let mut forms: Vec<Value> = Vec::new();
    for each in runs["items"].as_array().unwrap() {
        let id = each["run_id"].as_str().unwrap();
        let shown = run(folder, &["runs", "attempts", id, "--json"]).await.json();
        forms.push(shown["items"][0]["sent"]["files"][0]["sent_as"].clone());
    }
    assert_eq!(forms, [json!("text_of_pdf"), json!("pdf")]);
    let cases = [
        (pdf("Secret", ENCRYPTED), "it is encrypted; remove its password and send it again"),
        (pdf("", ""), "it contains only images"),
        (b"%PDF-1.4\nnothing".to_vec(), "it is damaged"),
    ];
    for (content, expected) in cases {
        std::fs::write(folder.join("b.pdf"), content).unwrap();
        let ran = run(folder, &["run", "ollama", "How much?", "--file", "b.pdf"]).await;
        ran.ends(3, &["the PDF 'b.pdf' has no readable text: ", expected]);
    }
    assert_eq!(model.requests().len(), 2, "nothing is sent of a PDF without text");
}
