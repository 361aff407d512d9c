//! The user of a client answers what a run asks, with the client of `rmcp`: over stdio by requests during the call (2025-11-25), and over
//! streamable HTTP by results that ask (2026-07-28). The coordinator is a real one.

use accord_api::{InputQuery, InputStatus};
use rmcp::model::{ElicitResult, ElicitationAction};
use serde_json::{Value, json};

use crate::support::{Office, User, accept, call, text};

/// A number that no machine type keeps as it is written.
const EXACT: &str = r#"{"severity":"high","hours":12345678901234567890123.50}"#;

fn exact() -> Value {
    serde_json::from_str(EXACT).unwrap()
}

fn wrong() -> ElicitResult {
    accept(json!({"severity": "high", "hours": 0.3}))
}

/// The form that the user saw, and what was said to the second, after a reply that did not conform.
fn check_conversation(user: &User) {
    let heard = user.heard.lock().unwrap().clone();
    let form = json!({
        "type": "object",
        "properties": {"severity": {"type": "string", "enum": ["low", "high"]}, "hours": {"type": "number"}},
        "required": ["severity", "hours"],
    });
    let forms: Vec<&Value> = heard.iter().map(|(_, form)| form).collect();
    assert_eq!(forms, [&form, &form]);
    assert!(heard[0].0.contains("Help"), "the input is shown: {}", heard[0].0);
    assert!(!heard[0].0.contains("rejected"), "{}", heard[0].0);
    assert!(heard[1].0.contains("rejected") && heard[1].0.contains("$.hours"), "{}", heard[1].0);
}

#[tokio::test]
async fn over_pipes_the_user_is_asked_during_the_call() {
    let office = Office::open().await;
    let user = User::replying([wrong(), accept(exact())]);
    let client = office.over_pipes(user.clone()).await;
    let result = call(&client, "agent__clerk", json!({"prompt": "Help"})).await;
    assert_eq!(result.structured_content.unwrap().to_string(), EXACT);
    check_conversation(&user);
}

#[tokio::test]
async fn over_http_the_result_asks_and_the_call_is_made_again() {
    let office = Office::open().await;
    let user = User::replying([wrong(), accept(exact())]);
    let client = office.over_http(user.clone()).await;
    let result = call(&client, "agent__clerk", json!({"prompt": "Help"})).await;
    assert_eq!(result.structured_content.unwrap().to_string(), EXACT);
    check_conversation(&user);
    let answered = office.client.inputs(&InputQuery::default()).await.unwrap().items;
    assert_eq!(answered.len(), 1, "the call that was made again started nothing");
}

#[tokio::test]
async fn a_workflow_asks_too() {
    let office = Office::open().await;
    let answer = || accept(json!({"severity": "low", "hours": 1.5}));
    let over_http = office.over_http(User::replying([answer()])).await;
    let over_pipes = office.over_pipes(User::replying([answer()])).await;
    for client in [over_http, over_pipes] {
        let result = call(&client, "workflow__sorting", json!({"ticket": "Help"})).await;
        assert_eq!(result.structured_content, Some(json!({"severity": "low", "hours": 1.5})));
    }
}

#[tokio::test]
async fn a_request_that_the_user_leaves_stays_open_and_can_be_answered_later() {
    let office = Office::open().await;
    for action in [ElicitationAction::Cancel, ElicitationAction::Decline] {
        let user = User::replying([ElicitResult::new(action.clone()), ElicitResult::new(action)]);
        let clients = [office.over_pipes(user.clone()).await, office.over_http(user.clone()).await];
        for client in clients {
            let start = json!({"agent_name": "clerk", "prompt": "Help"});
            let result = call(&client, "start_agent_session", start).await.structured_content.unwrap();
            assert_eq!(result["status"], "input_required");
            let input = &result["inputs"][0];
            assert_eq!(input["status"], "open");
            let answer = json!({
                "input_id": input["input_id"], "digest": input["digest"],
                "answer": {"severity": "low", "hours": 2},
            });
            let answered = call(&client, "answer_input", answer.clone()).await.structured_content;
            assert_eq!(answered.as_ref().unwrap()["status"], "answered");
            let session = json!({"session_id": result["session_id"]});
            let done = call(&client, "get_agent_session_result", session).await.structured_content.unwrap();
            assert_eq!(done["result_data"], json!({"severity": "low", "hours": 2}));
            let again = call(&client, "answer_input", answer.clone()).await;
            assert_eq!(again.structured_content, answered, "the first response may have been lost");
            let mut other = answer;
            other["answer"]["hours"] = json!(3);
            let again = call(&client, "answer_input", other).await;
            assert_eq!(again.is_error, Some(true), "the first answer counts");
        }
    }
}

#[tokio::test]
async fn a_client_that_cannot_ask_gets_the_request_and_how_to_answer_it() {
    let office = Office::open().await;
    let clients = [office.over_pipes(User::default()).await, office.over_http(User::default()).await];
    for client in clients {
        let result = call(&client, "agent__clerk", json!({"prompt": "Help"})).await;
        assert_eq!((result.is_error, &result.structured_content), (Some(true), &None));
        assert!(text(&result).contains("answer_input") && text(&result).contains("multipleOf"), "{result:?}");
        let listed = call(&client, "list_inputs", json!({})).await.structured_content.unwrap();
        let input = &listed["inputs"][0];
        let answer = json!({"input_id": input["input_id"], "answer": {"severity": "low", "hours": 0.3}});
        let refused = call(&client, "answer_input", answer).await;
        assert!(text(&refused).contains("$.hours"), "{refused:?}");
        let answer =
            json!({"input_id": input["input_id"], "answer": "{\"severity\": \"low\", \"hours\": 1}"});
        let answered = call(&client, "answer_input", answer).await;
        assert_eq!(answered.is_error, None, "{answered:?}");
    }
}

#[tokio::test]
async fn a_schema_without_a_form_is_not_elicited() {
    let office = Office::open().await;
    let user = User::replying([]);
    let clients = [office.over_pipes(user.clone()).await, office.over_http(user.clone()).await];
    for client in clients {
        let result = call(&client, "agent__archivist", json!({"prompt": "Help"})).await;
        assert!(text(&result).contains("answer_input"), "{result:?}");
    }
    assert_eq!(user.messages(), Vec::<String>::new());
}

#[tokio::test]
async fn a_question_is_withdrawn_when_somebody_else_answers() {
    let office = Office::open().await;
    let user = User::silent();
    let client = office.over_pipes(user.clone()).await;
    let answering = async {
        user.was_asked().await;
        let open = InputQuery { status: Some(InputStatus::Open), ..InputQuery::default() };
        let input = office.client.inputs(&open).await.unwrap().items.remove(0);
        let answer =
            accord_api::AnswerInput { answer: json!({"severity": "high", "hours": 1}), digest: None };
        office.client.answer_input(&input.id, &answer).await.unwrap();
    };
    let (result, ()) = tokio::join!(call(&client, "agent__clerk", json!({"prompt": "Help"})), answering);
    assert_eq!(result.structured_content, Some(json!({"severity": "high", "hours": 1})));
}

#[tokio::test]
async fn state_that_was_not_given_out_is_refused() {
    let office = Office::open().await;
    let client = office.over_http(User::replying([])).await;
    for state in ["nonsense", "run_none"] {
        let mut request = rmcp::model::CallToolRequestParams::new("agent__clerk");
        request.request_state = Some(state.to_owned());
        let error = client.call_tool(request).await.unwrap_err();
        assert!(error.to_string().contains("requestState does not belong to this call"), "{error}");
    }
}
