//! Changes over the API to files that people wrote.

use axum::http::Method;
use serde_json::json;

use super::super::fixture::{Fixture, REVIEWER};

#[tokio::test]
async fn a_patch_writes_the_change_and_keeps_the_comments() {
    let text = format!("# Ours.\n{REVIEWER}# The end.\n").replace("Reviews", "Reviews # in short");
    let fixture = Fixture::new(&[("reviewer/agent.yaml", &text), ("reviewer/system-prompt.md", "Be kind.")]);
    let patch = async |body: serde_json::Value| {
        let reply = fixture.send(Method::PATCH, "/agents/reviewer", &[], body.to_string()).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        fixture.read("reviewer/agent.yaml")
    };
    let expected = text.replace("description: Reviews", "description: Looks");
    assert_eq!(patch(json!({"description": "Looks", "system_prompt": "Be just."})).await, expected);
    assert_eq!(fixture.read("reviewer/system-prompt.md"), "Be just.");
    let expected =
        expected.replace("  type: object\n", "").replace("# The end.", "type: autonomous\n# The end.");
    assert_eq!(patch(json!({"type": "autonomous", "output_schema": {"type": null}})).await, expected);
}
