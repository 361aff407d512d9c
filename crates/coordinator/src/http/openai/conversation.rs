//! Messages as the conversation that a run begins with: instructions, earlier messages with their roles, and the prompt.

use accord_domain::run::{Opening, Said};

use super::input::{Side, Turn};
use crate::error::{Error, refuse};

/// The prompt where nobody asks anything: the last message is not the user's.
const CONTINUE: &str = "Continue.";

/// The conversation before the prompt, and the prompt: the last message, if it is the user's.
pub(super) fn split(turns: &[Turn]) -> Result<(Opening, String), Error> {
    let mut instructions: Vec<&str> = Vec::new();
    let mut messages = Vec::new();
    for turn in turns.iter().filter(|turn| !turn.is_empty()) {
        let content = turn.text.clone();
        messages.push(match turn.side {
            Side::System => {
                instructions.push(&turn.text);
                continue;
            }
            Side::User => Said::User { content },
            Side::Assistant => Said::Assistant { content, tool_calls: turn.calls.clone() },
            Side::Tool => Said::Tool { tool_call_id: turn.answers.clone(), content },
        });
    }
    if messages.is_empty() && instructions.is_empty() {
        return Err(refuse("expected at least one message with text"));
    }
    let prompt = match messages.pop_if(|last| matches!(last, Said::User { .. })) {
        Some(Said::User { content }) => content,
        _ => CONTINUE.to_owned(),
    };
    let instructions = (!instructions.is_empty()).then(|| instructions.join("\n\n"));
    Ok((Opening { instructions, messages }, prompt))
}

/// All of it in one text, for a workflow.
pub(super) fn in_one(turns: &[Turn]) -> Result<String, Error> {
    split(turns).map(|(opening, prompt)| opening.before(&prompt))
}

#[cfg(test)]
mod tests {
    use accord_domain::run::SaidCall;
    use serde_json::{Value, json};

    use super::*;
    use crate::http::openai::input::{of_input, of_messages};

    fn chat(messages: &Value) -> (Opening, String) {
        split(&of_messages(messages.as_array().unwrap()).unwrap()).unwrap()
    }

    fn user(content: &str) -> Said {
        Said::User { content: content.to_owned() }
    }

    fn assistant(content: &str, calls: &[(&str, &str)]) -> Said {
        let call = |(id, name): &(&str, &str)| SaidCall {
            id: (*id).to_owned(),
            name: (*name).to_owned(),
            arguments: "{\"a\":1}".to_owned(),
        };
        Said::Assistant { content: content.to_owned(), tool_calls: calls.iter().map(call).collect() }
    }

    #[test]
    fn one_user_message_is_the_prompt() {
        let user = json!({"role": "user", "content": "Judge"});
        let parts = json!({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]});
        assert_eq!(chat(&json!([user])), (Opening::default(), "Judge".to_owned()));
        assert_eq!(chat(&json!([parts])), (Opening::default(), "a\nb".to_owned()));
    }

    #[test]
    fn a_conversation_keeps_its_order_and_its_roles() {
        let call =
            json!({"id": "c", "type": "function", "function": {"name": "V", "arguments": "{\"a\":1}"}});
        let expected = Opening {
            instructions: Some("Be brief.\n\nBe kind.".to_owned()),
            messages: vec![
                user("one"),
                assistant("", &[("c", "V")]),
                Said::Tool { tool_call_id: "c".to_owned(), content: "wrong".to_owned() },
            ],
        };
        let messages = json!([
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": null, "tool_calls": [call]},
            {"role": "system", "content": "Be kind."},
            {"role": "tool", "tool_call_id": "c", "content": "wrong"},
            {"role": "user", "content": "two"},
        ]);
        assert_eq!(chat(&messages), (expected.clone(), "two".to_owned()));
        let items = json!([
            {"role": "system", "content": "Be brief."},
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": [{"type": "input_text", "text": "one"}]},
            {"type": "reasoning", "id": "r", "summary": []},
            {"type": "function_call", "name": "V", "call_id": "c", "arguments": "{\"a\":1}"},
            {"type": "function_call_output", "call_id": "c", "output": "wrong"},
            {"type": "message", "role": "user", "content": "two"},
        ]);
        assert_eq!(split(&of_input(&items).unwrap()).unwrap(), (expected, "two".to_owned()));
    }

    #[test]
    fn a_conversation_that_the_user_does_not_end_continues() {
        let said = json!([{"role": "user", "content": "one"}, {"role": "assistant", "content": "hm"}]);
        let messages = vec![user("one"), assistant("hm", &[])];
        assert_eq!(chat(&said), (Opening { instructions: None, messages }, CONTINUE.to_owned()));
    }

    #[test]
    fn there_has_to_be_a_text() {
        for messages in [json!([]), json!([{"role": "user"}]), json!([{"role": "system", "content": ""}])] {
            let turns = of_messages(messages.as_array().unwrap()).unwrap();
            assert_eq!(split(&turns).unwrap_err().message(), "expected at least one message with text");
        }
    }
}
