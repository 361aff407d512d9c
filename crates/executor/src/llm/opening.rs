//! A caller's conversation as the beginning of one with a model.
//!
//! Calls and their results stay what they are where they belong together: providers reject a result without its call. Other results
//! become text of the user, as JSON, so that nothing in them looks like another message.

use accord_domain::run::{Said, SaidCall};

use super::conversation::{Call, CallResult, Conversation, Message};

/// The conversation with these messages at its end.
pub(super) fn opened(mut conversation: Conversation, opening: Vec<Said>) -> Conversation {
    let mut results: Vec<CallResult> = Vec::new();
    let mut open: Vec<Call> = Vec::new();
    for said in opening {
        if let Said::Tool { tool_call_id, content } = &said
            && let Some(place) = open.iter().position(|call| call.id == *tool_call_id)
        {
            results.push(CallResult::new(&open.remove(place), true, content.clone()));
            continue;
        }
        close(&mut conversation, &mut results, &mut open);
        conversation.push(match said {
            Said::User { content } => Message::User { text: content },
            Said::Tool { .. } => Message::User { text: said.line() },
            Said::Assistant { content, tool_calls } => {
                let calls: Vec<Call> = tool_calls.into_iter().map(call).collect();
                open.clone_from(&calls);
                Message::Assistant { text: content, calls, kept: None }
            }
        });
    }
    close(&mut conversation, &mut results, &mut open);
    conversation
}

/// What a call without a result gets: every provider wants each call answered.
const NO_RESULT: &str = "no result";

/// Ends the results of a message: those that came, and one for each call without.
fn close(conversation: &mut Conversation, results: &mut Vec<CallResult>, open: &mut Vec<Call>) {
    let mut all = std::mem::take(results);
    all.extend(open.drain(..).map(|call| CallResult::new(&call, false, NO_RESULT)));
    if !all.is_empty() {
        conversation.push(Message::Results { results: all });
    }
}

fn call(SaidCall { id, name, arguments }: SaidCall) -> Call {
    Call { id, name, arguments, submit: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(content: &str) -> Said {
        Said::User { content: content.to_owned() }
    }

    fn tool(id: &str) -> Said {
        Said::Tool { tool_call_id: id.to_owned(), content: format!("of {id}") }
    }

    fn assistant(calls: &[&str]) -> Said {
        let call = |id: &&str| SaidCall { id: (*id).to_owned(), name: "look".into(), arguments: "{}".into() };
        Said::Assistant { content: "hm".into(), tool_calls: calls.iter().map(call).collect() }
    }

    fn messages(opening: Vec<Said>) -> Vec<Message> {
        opened(Conversation::new(), opening).messages().to_vec()
    }

    #[test]
    fn roles_stay_roles() {
        let text = |text: &str| Message::User { text: text.into() };
        let said = Message::Assistant { text: "hm".into(), calls: Vec::new(), kept: None };
        assert_eq!(messages(vec![user("a"), assistant(&[]), user("b")]), [text("a"), said, text("b")]);
    }

    #[test]
    fn every_call_has_its_result() {
        let all = messages(vec![assistant(&["1", "2"]), tool("2"), user("next"), tool("2")]);
        let [Message::Assistant { calls, .. }, Message::Results { results }, Message::User { .. }, late] =
            all.as_slice()
        else {
            panic!("{all:?}")
        };
        let [first, second] = calls.as_slice() else { panic!("{calls:?}") };
        let expected = [CallResult::new(second, true, "of 2"), CallResult::new(first, false, NO_RESULT)];
        assert_eq!(results.as_slice(), expected);
        let line = r#"{"role":"tool","tool_call_id":"2","content":"of 2"}"#;
        assert_eq!(*late, Message::User { text: line.into() });
    }
}
