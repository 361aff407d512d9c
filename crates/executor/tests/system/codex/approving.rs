//! Approval requests that need a person's decision.

use std::sync::Arc;

use accord_domain::input_request::ToolUse;
use accord_executor::{Journal, OpenError, TurnError};
use serde_json::{Value, json};

use super::fixture::{Fake, said};
use super::requests;
use crate::support::{self, decided};

fn fake(act: &str, approve: &'static [&'static str], journal: &Arc<Journal>) -> Fake {
    Fake::new(act).with(|start| {
        start.tool_entries = support::approve(approve);
        start.journal = Arc::clone(journal);
    })
}

fn command() -> ToolUse {
    ToolUse { name: "run_command".to_owned(), arguments: json!({"command": "touch a", "cwd": "/p"}) }
}

fn patch() -> ToolUse {
    ToolUse { name: "write_file".to_owned(), arguments: json!({"changes": [{"path": "/p/b", "diff": "+b"}]}) }
}

fn answer(fake: &Fake, id: &str) -> Option<Value> {
    fake.log("messages").into_iter().find(|message| message["id"] == id)
}

#[tokio::test]
async fn an_undecided_request_ends_the_turn() {
    let journal = Arc::new(Journal::none());
    let fake = fake("approvals", &["run_command"], &journal);
    let mut session = fake.open().await.unwrap();
    let error = said(session.as_mut(), "go").await.0.unwrap_err();
    assert_eq!(error, TurnError::InputRequired);
    fake.nothing_is_left().await;
    let asked: Vec<_> = journal.asked().into_iter().map(|ask| (ask.call_id, ask.tool.unwrap())).collect();
    assert_eq!(asked, [("turn-1/c1".to_owned(), command()), ("turn-1/c2".to_owned(), patch())]);
    assert_eq!(requests(&fake, "thread/start")[0]["approvalPolicy"], "untrusted");
    assert_eq!(requests(&fake, "turn/interrupt").len(), 1);
    assert_eq!(session.conversation().unwrap()["thread_id"], "01a1-thread");
}

#[tokio::test]
async fn a_request_is_answered_by_the_decision_of_a_person() {
    for (approve, expected) in [(true, "accept"), (false, "decline")] {
        let journal = decided(command(), json!({"approve": approve}));
        let fake = fake("approvals", &["run_command"], &journal);
        let mut session = fake.open().await.unwrap();
        assert_eq!(said(session.as_mut(), "go").await.0.unwrap_err(), TurnError::InputRequired);
        assert_eq!(answer(&fake, "ask-c1").unwrap()["result"], json!({"decision": expected}));
        assert_eq!(answer(&fake, "ask-c2"), None);
        fake.nothing_is_left().await;
    }
}

#[tokio::test]
async fn approvals_that_codex_does_not_support_are_rejected() {
    let journal = Arc::new(Journal::none());
    let error = fake("", &["read_file"], &journal).open().await.err().unwrap();
    let OpenError::Settings(text) = error else { panic!("{error:?}") };
    assert_eq!(text, "`approve`: 'read_file' matches no tool of the agent; it has run_command, write_file");
    let error = fake("no-app-server", &["run_command"], &journal).open().await.err().unwrap();
    assert!(error.to_string().starts_with("`approve` needs a Codex with an app server"), "{error}");
}
