//! What a tool gave, as the text that the model reads.

use serde_json::Value;

use super::error::McpError;
use super::limits::RESULT_CHARACTERS;
use crate::toolbox::ToolOutput;

/// The text of a result. Servers send structured results as text too; if not, their JSON is used.
pub(super) fn output(result: &Value) -> Result<ToolOutput, McpError> {
    let content = result.get("content").and_then(Value::as_array);
    let structured = result.get("structuredContent").filter(|value| !value.is_null());
    let parts: Vec<String> = content.into_iter().flatten().map(part).collect();
    let text = match (parts.is_empty(), structured) {
        (false, _) => parts.join("\n"),
        (true, Some(structured)) => structured.to_string(),
        (true, None) if content.is_some() => String::new(),
        (true, None) => return Err(McpError::Broken("its response has no content".to_owned())),
    };
    let failed = result.get("isError").and_then(Value::as_bool).unwrap_or_default();
    Ok(ToolOutput { ok: !failed, text: bounded(text) })
}

fn part(part: &Value) -> String {
    let text = |field: &str| part.get(field).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "text" => text("text").to_owned(),
        kind @ ("image" | "audio") => {
            format!(
                "[{kind}, {}, {} bytes: it cannot be shown here]",
                text("mimeType"),
                text("data").len() / 4 * 3
            )
        }
        "resource" => {
            let resource = |field: &str| part.pointer(&format!("/resource/{field}")).and_then(Value::as_str);
            match resource("text") {
                Some(text) => text.to_owned(),
                None => format!("[resource {}]", resource("uri").unwrap_or_default()),
            }
        }
        "resource_link" => format!("[resource {}: {}]", text("uri"), text("name")),
        other => format!("[{other}: it cannot be shown here]"),
    }
}

fn bounded(text: String) -> String {
    match text.char_indices().nth(RESULT_CHARACTERS) {
        None => text,
        Some((end, _)) => {
            let kept = text.get(..end).unwrap_or_default();
            format!("{kept}\n[… cut off: {} bytes in total; request less]", text.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(ok: bool, text: &str) -> Result<ToolOutput, McpError> {
        Ok(ToolOutput { ok, text: text.to_owned() })
    }

    #[test]
    fn results_become_text() {
        let cases = [
            (
                json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
                said(true, "a\nb"),
            ),
            (json!({"content": [{"type": "text", "text": "no"}], "isError": true}), said(false, "no")),
            (json!({"content": []}), said(true, "")),
            (json!({"structuredContent": {"n": 1.50}}), said(true, r#"{"n":1.5}"#)),
            (
                json!({"content": [{"type": "text", "text": "a"}], "structuredContent": {"n": 1}}),
                said(true, "a"),
            ),
            (
                json!({"content": [
                    {"type": "image", "mimeType": "image/png", "data": "AAAA"},
                    {"type": "resource", "resource": {"uri": "a:b", "text": "inside"}},
                    {"type": "resource", "resource": {"uri": "a:b"}},
                    {"type": "resource_link", "uri": "a:c", "name": "c"},
                    {"type": "dance"},
                ]}),
                said(
                    true,
                    "[image, image/png, 3 bytes: it cannot be shown here]\ninside\n[resource a:b]\n[resource a:c: c]\n\
                     [dance: it cannot be shown here]",
                ),
            ),
            (json!({}), Err(McpError::Broken("its response has no content".to_owned()))),
            (json!(5), Err(McpError::Broken("its response has no content".to_owned()))),
        ];
        for (result, expected) in cases {
            assert_eq!(output(&result), expected, "{result}");
        }
    }

    #[test]
    fn a_long_result_is_cut_off() {
        let result = json!({"content": [{"type": "text", "text": "ü".repeat(RESULT_CHARACTERS + 1)}]});
        let text = output(&result).unwrap().text;
        assert!(text.ends_with("ü\n[… cut off: 200002 bytes in total; request less]"));
    }
}
