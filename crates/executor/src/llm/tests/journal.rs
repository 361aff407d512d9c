//! A turn that continues after its recorded steps.

use std::sync::{Arc, Mutex};

use accord_domain::id::InputId;
use accord_domain::input_request::{Purpose, ToolUse};
use accord_domain::step::{Body, Step};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::samples::{PROVIDERS, Say, streamed};
use super::script::{Canned, Script, native, open, settings, start, turn};
use crate::{
    Answer, ApprovalRule, Ask, Delivery, Effect, Event, Journal, Start, StepSink, ToolEntries, TurnError,
    TurnFailure,
};

#[derive(Default)]
struct Saved(Mutex<Vec<Step>>);

#[async_trait]
impl StepSink for Saved {
    async fn save(&self, number: u32, body: Body) {
        self.0.lock().unwrap().push(Step { number, delivery: 1, at: Timestamp::UNIX_EPOCH, body });
    }

    async fn saved(&self) {}
}

pub(super) struct Ran {
    pub(super) answer: Result<Answer, TurnFailure>,
    /// All steps: the recorded ones it began with, and its own.
    pub(super) steps: Vec<Step>,
    pub(super) requests: usize,
    pub(super) conversation: serde_json::Value,
    told: Vec<Event>,
    /// The requests to people, and to the caller.
    pub(super) asked: Vec<Ask>,
}

/// One turn that begins with these steps and gets these answers.
async fn run(provider: &str, steps: &[Step], answers: Vec<Canned>, delivery: Delivery) -> Ran {
    let start = start(settings(provider, json!({})), &["echo"], None);
    run_with(start, steps, answers, delivery).await
}

pub(super) async fn run_with(start: Start, steps: &[Step], answers: Vec<Canned>, delivery: Delivery) -> Ran {
    let script = Script::new(answers);
    let saved = Arc::new(Saved::default());
    let next = u32::try_from(steps.len()).unwrap() + 1;
    let journal = Journal::new(steps.to_vec(), next, Arc::clone(&saved) as Arc<dyn StepSink>);
    let journal = Arc::new(journal);
    let start = Start { journal: Arc::clone(&journal), ..start };
    let mut opened = open(&script, start).await.unwrap();
    let answer = opened.ask(turn("Judge", delivery)).await;
    let conversation = opened.session.conversation().unwrap();
    let told = opened.heard();
    let steps = [steps.to_vec(), saved.0.lock().unwrap().clone()].concat();
    Ran { answer, steps, requests: script.bodies().len(), conversation, told, asked: journal.asked() }
}

fn answers(provider: &str) -> Vec<Canned> {
    vec![
        streamed(provider, Say::Call("echo", "{\"n\":1}")),
        streamed(provider, Say::Call("echo", "{\"n\":2}")),
        streamed(provider, Say::Text("done")),
    ]
}

pub(super) fn kinds(steps: &[Step]) -> Vec<&str> {
    steps.iter().map(|step| step.body.kind()).collect()
}

#[tokio::test]
async fn a_turn_continues_after_each_of_its_steps() {
    for provider in PROVIDERS {
        let whole = run(provider, &[], answers(provider), Delivery::Text).await;
        let expected = [
            "model_answer",
            "tool_started",
            "tool_result",
            "model_answer",
            "tool_started",
            "tool_result",
            "model_answer",
        ];
        assert_eq!(kinds(&whole.steps), expected, "{provider}");
        for kept in 0..=whole.steps.len() {
            let steps = &whole.steps[..kept];
            let done = steps.iter().filter(|step| step.body.kind() == "model_answer").count();
            let rest = answers(provider).split_off(done);
            let again = run(provider, steps, rest, Delivery::Text).await;
            assert_eq!(again.answer, whole.answer, "{provider} {kept}");
            assert_eq!(again.requests, 3 - done, "{provider} {kept}");
            // A tool that had already started is not run again, so the model gets another result
            // there.
            if steps.last().is_none_or(|last| last.body.kind() != "tool_started") {
                assert_eq!(again.conversation, whole.conversation, "{provider} {kept}");
            }
            let live = again.told.iter().filter(|event| matches!(event, Event::Message { .. })).count();
            assert_eq!(live, usize::from(done < 3), "{provider} {kept}");
        }
    }
}

#[tokio::test]
async fn a_call_that_had_started_is_unverified() {
    let whole = run("openai", &[], answers("openai"), Delivery::Text).await;
    let rest = answers("openai").split_off(1);
    let again = run("openai", &whole.steps[..2], rest, Delivery::Text).await;
    let Body::ToolResult { ok, text, .. } = &again.steps[2].body else { panic!("{:?}", again.steps) };
    assert!(!ok && text.starts_with("unverified: "), "{text}");
    assert_eq!(again.steps[2].number, 3);
}

#[tokio::test]
async fn a_started_call_is_repeated_if_the_agent_file_allows_it() {
    let whole = run("openai", &[], answers("openai"), Delivery::Text).await;
    let effects = vec![("echo".into(), Effect::Idempotent)];
    let tool_entries = ToolEntries { effects, ..ToolEntries::default() };
    let start = Start { tool_entries, ..start(settings("openai", json!({})), &["echo"], None) };
    let again = run_with(start, &whole.steps[..2], answers("openai").split_off(1), Delivery::Text).await;
    let Body::ToolResult { ok, .. } = &again.steps[2].body else { panic!("{:?}", again.steps) };
    assert!(ok, "{:?}", again.steps);
}

/// Calls with an even number need approval.
#[derive(Debug)]
struct Even;

impl ApprovalRule for Even {
    fn holds(&self, arguments: &Value) -> bool {
        arguments["n"].as_u64().is_some_and(|number| number % 2 == 0)
    }
}

fn even() -> ToolEntries {
    ToolEntries { approve: vec![("echo".into(), Some(Arc::new(Even)))], ..ToolEntries::default() }
}

#[tokio::test]
async fn a_call_that_needs_approval_waits_for_it_and_then_runs_once() {
    for provider in PROVIDERS {
        let started =
            || Start { tool_entries: even(), ..start(settings(provider, json!({})), &["echo"], None) };
        let first = run_with(started(), &[], answers(provider), Delivery::Text).await;
        assert_eq!(first.answer.unwrap_err().error, TurnError::InputRequired, "{provider}");
        assert_eq!(first.requests, 2, "{provider}");
        let [ask] = first.asked.as_slice() else { panic!("{provider}: {:?}", first.asked) };
        assert_eq!(ask.tool.as_ref().unwrap().arguments, json!({"n": 2}), "{provider}");
        let decided = |approve: bool, arguments: Value| Step {
            number: 5,
            delivery: 0,
            at: Timestamp::UNIX_EPOCH,
            body: Body::Input {
                input_id: InputId::new("1"),
                call_id: ask.call_id.clone(),
                purpose: Purpose::Approval,
                tool: Some(ToolUse { name: "echo".to_owned(), arguments }),
                answer: Some(json!({"approve": approve, "reason": "no"})),
            },
        };
        for approve in [true, false] {
            let steps = [first.steps.clone(), vec![decided(approve, json!({"n": 2}))]].concat();
            let again = run_with(started(), &steps, answers(provider).split_off(2), Delivery::Text).await;
            assert!(again.answer.is_ok() && again.asked.is_empty(), "{provider}: {:?}", again.answer);
            assert_eq!(again.requests, 1, "{provider}: nothing is paid twice");
            let result = again.steps.iter().rev().find(|step| step.body.kind() == "tool_result").unwrap();
            let Body::ToolResult { ok, text, .. } = &result.body else { unreachable!() };
            assert_eq!(*ok, approve, "{provider}: {text}");
            assert!(approve || text == "a person denied this call: no", "{text}");
        }
        let steps = [first.steps.clone(), vec![decided(true, json!({"n": 4}))]].concat();
        let other = run_with(started(), &steps, answers(provider).split_off(2), Delivery::Text).await;
        assert_eq!(other.answer.unwrap_err().error, TurnError::InputRequired, "approved for other arguments");
        assert_eq!(other.asked, first.asked);
    }
}

/// A record without the approval of a call is that of a fork.
#[tokio::test]
async fn a_call_without_its_approval_does_not_run_beside_one_with_a_result() {
    let started = Start { tool_entries: even(), ..start(settings("openai", json!({})), &["echo"], None) };
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "cost_usd": null});
    let calls = ["a", "b"].map(|id| {
        json!({"id": id, "name": "echo", "arguments": format!("{{\"n\":{}}}", if id == "a" { 1 } else { 2 })})
    });
    let bodies = [
        json!({"type": "model_answer", "text": "", "calls": calls, "ending": "finished", "model": "m", "usage": usage}),
        json!({"type": "tool_started", "call_id": "a"}),
        json!({"type": "tool_result", "call_id": "a", "name": "echo", "ok": true, "text": "1"}),
    ];
    let steps: Vec<Step> = (1..)
        .zip(bodies)
        .map(|(number, body)| Step {
            number,
            delivery: 0,
            at: Timestamp::UNIX_EPOCH,
            body: serde_json::from_value(body).unwrap(),
        })
        .collect();
    let ran = run_with(started, &steps, Vec::new(), Delivery::Text).await;
    assert_eq!(ran.answer.unwrap_err().error, TurnError::InputRequired);
    assert_eq!((ran.steps.len(), ran.requests), (3, 0), "nothing runs");
    let asked: Vec<&Value> = ran.asked.iter().map(|ask| &ask.tool.as_ref().unwrap().arguments).collect();
    assert_eq!(asked, [&json!({"n": 2})]);
}

#[tokio::test]
async fn a_failure_is_a_step_too() {
    let body = json!({"error": {"code": 500, "message": "failed to parse grammar", "type": "server_error"}});
    let refused = || vec![Canned::error(500, &body)];
    let whole = run("openai", &[], refused(), native()).await;
    assert_eq!(kinds(&whole.steps), ["request_failed"]);
    let again = run("openai", &whole.steps, Vec::new(), native()).await;
    assert_eq!((again.answer, again.requests), (whole.answer.clone(), 0));
    assert!(matches!(whole.answer, Err(TurnFailure { error: TurnError::SchemaRejected(_), .. })));
}

#[tokio::test]
async fn steps_that_do_not_match_are_not_followed() {
    let step = Step {
        number: 1,
        delivery: 1,
        at: Timestamp::UNIX_EPOCH,
        body: Body::Message { text: "children".to_owned() },
    };
    let ran = run("openai", &[step], answers("openai"), Delivery::Text).await;
    let error = ran.answer.unwrap_err().error;
    assert_eq!(error, TurnError::Diverged("step 1 is message, not a model's answer".to_owned()));
    assert_eq!(ran.requests, 0);
}
