//! Permission requests that need a person's decision.

use std::sync::Arc;

use accord_domain::input_request::ToolUse;
use accord_executor::{Journal, Start, TurnError};
use serde_json::{Value, json};

use super::fixture::{Fake, text};
use crate::support::{self, decided};

/// Requests permission for two commands at once, and ends the turn when it is interrupted or has
/// both answers.
const ASKS: &str = r#"
ask() { echo '{"type":"control_request","request_id":"'$1'","request":{"subtype":"can_use_tool","tool_name":"'$2'","input":{"command":"'"$3"'","description":"x"},"tool_use_id":"t'$1'"}}'; }
read -r line; begin
ask r1 Bash 'touch a'; ask r2 Bash 'touch b'
for each in 1 2; do
  read -r answer; echo "$answer" >> "$LOG/answers"
  case "$answer" in *interrupt*)
    echo '{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools","session_id":"sid-1","total_cost_usd":0.5,"modelUsage":{"m":{"inputTokens":7,"outputTokens":1}}}'
    read -r more; exit ;;
  esac
done
end '"result":"done"' 10 5 0.25
read -r more"#;

fn start(fake: &Fake, approve: &'static [&'static str], journal: &Arc<Journal>) -> Start {
    let tools = vec!["run_command".to_owned(), "write_file".to_owned()];
    Start { tools, tool_entries: support::approve(approve), journal: Arc::clone(journal), ..fake.start() }
}

fn bash(command: &str) -> ToolUse {
    ToolUse { name: "Bash".to_owned(), arguments: json!({"command": command}) }
}

fn answers(fake: &Fake) -> Vec<Value> {
    fake.log("answers").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn an_undecided_call_ends_the_turn() {
    let fake = Fake::new(ASKS);
    let journal = Arc::new(Journal::none());
    let mut session = fake.open_with(start(&fake, &["run_command"], &journal)).await.unwrap();
    let error = fake.turn(&mut session, text("go")).await.unwrap_err();
    assert_eq!(error, TurnError::InputRequired);
    fake.nothing_is_left().await;
    let asked: Vec<_> = journal.asked().into_iter().map(|ask| (ask.call_id, ask.tool.unwrap())).collect();
    assert_eq!(asked, [("r1".to_owned(), bash("touch a")), ("r2".to_owned(), bash("touch b"))]);
    assert_eq!(answers(&fake)[0]["request"]["subtype"], "interrupt");
    // The conversation is complete, including its usage.
    let held = session.conversation().unwrap();
    assert_eq!((&held["session_id"], &held["used"]["input_tokens"]), (&json!("sid-1"), &json!(7)));
    let arguments = fake.arguments(1);
    let at = arguments.iter().position(|word| word == "--permission-prompt-tool").unwrap();
    let expected = ["stdio", "--settings", r#"{"permissions":{"ask":["Bash"]}}"#];
    assert_eq!(arguments[at + 1..at + 4], expected);
}

#[tokio::test]
async fn a_call_is_answered_by_the_decision_of_a_person() {
    let denied = "a person denied this call: no";
    for (answer, expected) in [
        (
            json!({"approve": true}),
            json!({"behavior": "allow", "updatedInput": {"command": "touch a", "description": "x"}}),
        ),
        (json!({"approve": false, "reason": "no"}), json!({"behavior": "deny", "message": denied})),
    ] {
        let fake = Fake::new(ASKS);
        let journal = decided(bash("touch a"), answer);
        let mut session = fake.open_with(start(&fake, &["Bash"], &journal)).await.unwrap();
        // The other one is still undecided.
        let error = fake.turn(&mut session, text("go")).await.unwrap_err();
        assert_eq!(error, TurnError::InputRequired);
        let response = json!({"subtype": "success", "request_id": "r1", "response": expected});
        assert_eq!(answers(&fake)[0], json!({"type": "control_response", "response": response}));
        let asked: Vec<String> = journal.asked().into_iter().map(|ask| ask.call_id).collect();
        assert_eq!(asked, ["r2"]);
        fake.nothing_is_left().await;
    }
}

#[tokio::test]
async fn other_calls_are_declined() {
    let fake = Fake::new(ASKS);
    let journal = Arc::new(Journal::none());
    let mut session = fake.open_with(start(&fake, &["write_file"], &journal)).await.unwrap();
    fake.turn(&mut session, text("go")).await.unwrap();
    assert_eq!(journal.asked(), []);
    let behaviors =
        answers(&fake).into_iter().map(|answer| answer["response"]["response"]["behavior"].clone());
    assert_eq!(behaviors.collect::<Vec<_>>(), ["deny", "deny"]);
    session.close().await;
    fake.nothing_is_left().await;
}

#[tokio::test]
async fn without_approvals_every_request_is_declined() {
    let fake = Fake::new(ASKS);
    let mut session = fake.open().await;
    assert_eq!(fake.turn(&mut session, text("go")).await.unwrap().text, "done");
    let error = json!({"subtype": "error", "request_id": "r1", "error": "there is no interactive user"});
    assert_eq!(answers(&fake)[0], json!({"type": "control_response", "response": error}));
    assert!(!fake.arguments(1).contains(&"--permission-prompt-tool".to_owned()));
    session.close().await;
    fake.nothing_is_left().await;
}
