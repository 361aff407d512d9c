//! Arguments of calls that came as objects, as they were written.
//!
//! A parsed object has lost what the judge has to see: a key that stood there twice, and how numbers were spelled. So the texts
//! are read once more from the answer, without looking into them.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct OllamaLine<'a> {
    #[serde(borrow)]
    message: OllamaMessage<'a>,
}

#[derive(Deserialize)]
struct OllamaMessage<'a> {
    #[serde(borrow)]
    tool_calls: Vec<OllamaCall<'a>>,
}

#[derive(Deserialize)]
struct OllamaCall<'a> {
    #[serde(borrow)]
    function: OllamaFunction<'a>,
}

#[derive(Deserialize)]
struct OllamaFunction<'a> {
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// The arguments of each call in a line of Ollama's; nothing, where it has none.
pub(super) fn by_ollama(line: &str) -> Vec<Option<String>> {
    let Ok(line) = serde_json::from_str::<OllamaLine<'_>>(line) else { return Vec::new() };
    line.message.tool_calls.into_iter().map(|call| object(call.function.arguments)).collect()
}

#[derive(Deserialize)]
struct AnthropicBody<'a> {
    #[serde(borrow)]
    content: Vec<AnthropicBlock<'a>>,
}

#[derive(Deserialize)]
struct AnthropicStart<'a> {
    #[serde(borrow)]
    content_block: AnthropicBlock<'a>,
}

#[derive(Deserialize)]
struct AnthropicBlock<'a> {
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

/// The input of each block in an answer of Anthropic's that came in one piece.
pub(super) fn by_anthropic(body: &str) -> Vec<Option<String>> {
    let Ok(body) = serde_json::from_str::<AnthropicBody<'_>>(body) else { return Vec::new() };
    body.content.into_iter().map(|block| object(block.input)).collect()
}

/// The input of a block that begins in a stream.
pub(super) fn by_anthropic_start(event: &str) -> Option<String> {
    serde_json::from_str::<AnthropicStart<'_>>(event).ok().and_then(|start| object(start.content_block.input))
}

/// What is a text or nothing needs no second look.
fn object(value: Option<&RawValue>) -> Option<String> {
    value.map(RawValue::get).filter(|text| text.starts_with('{')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        let text = r#"{"n": 1, "n": 1.10e2}"#;
        let line =
            format!(r#"{{"message":{{"tool_calls":[{{"function":{{"name":"a","arguments":{text}}}}}]}}}}"#);
        assert_eq!(by_ollama(&line), [Some(text.to_owned())]);
        let body = format!(r#"{{"content":[{{"type":"text"}},{{"type":"tool_use","input":{text}}}]}}"#);
        assert_eq!(by_anthropic(&body), [None, Some(text.to_owned())]);
        let event = format!(r#"{{"content_block":{{"type":"tool_use","input":{text}}}}}"#);
        assert_eq!(by_anthropic_start(&event).as_deref(), Some(text));
    }

    #[test]
    fn what_is_no_object_is_left_to_others() {
        assert!(by_ollama(r#"{"message":{"content":"hello"}}"#).is_empty());
        let text = r#"{"message":{"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}}"#;
        assert_eq!(by_ollama(text), [None]);
        assert!(by_anthropic("[1").is_empty());
        assert_eq!(by_anthropic_start(r#"{"content_block":{"input":null}}"#), None);
    }
}
