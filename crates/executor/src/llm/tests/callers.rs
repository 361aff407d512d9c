//! Tools of the caller, in every dialect: a call ends the turn, and the next delivery goes on with the caller's answer.

use std::sync::Arc;

use accord_domain::caller_tools::CallerTool;
use accord_domain::id::InputId;
use accord_domain::input_request::Purpose;
use accord_domain::step::{Body, Step};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::journal::{kinds, run_with};
use super::samples::{PROVIDERS, Say, streamed};
use super::script::{Canned, Script, open, settings, start, turn};
use crate::{ArgumentsRule, Ask, CallerTools, Delivery, Start, TurnError};

/// A city is a text.
#[derive(Debug)]
struct City;

impl ArgumentsRule for City {
    fn complaint(&self, arguments: &Value) -> Option<String> {
        (!arguments["city"].is_string()).then(|| "$.city: expected a string".to_owned())
    }
}

fn weather(name: &str, is_required: bool) -> CallerTools {
    let parameters =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let tool = CallerTool {
        name: name.to_owned(),
        description: "Looks up the weather.".to_owned(),
        parameters,
        output_schema: None,
    };
    CallerTools::new(vec![(tool, Arc::new(City))], is_required)
}

fn begun(provider: &str, caller_tools: CallerTools) -> Start {
    Start { caller_tools, ..start(settings(provider, json!({})), &["echo"], None) }
}

fn input(number: u32, ask: &Ask, answer: Option<Value>) -> Step {
    let body = Body::Input {
        input_id: InputId::new("1"),
        call_id: ask.call_id.clone(),
        purpose: ask.purpose,
        tool: ask.tool.clone(),
        answer,
    };
    Step { number, delivery: 0, at: Timestamp::UNIX_EPOCH, body }
}

fn answers(provider: &str) -> Vec<Canned> {
    vec![
        streamed(provider, Say::Call("weather", "{\"city\":1}")),
        streamed(provider, Say::Call("weather", "{\"city\":\"Bonn\"}")),
        streamed(provider, Say::Text("done")),
    ]
}

#[tokio::test]
async fn a_call_waits_for_the_caller_and_goes_on_with_its_answer() {
    for provider in PROVIDERS {
        let started = || begun(provider, weather("weather", false));
        let first = run_with(started(), &[], answers(provider), Delivery::Text).await;
        assert_eq!(first.answer.unwrap_err().error, TurnError::InputRequired, "{provider}");
        assert_eq!(kinds(&first.steps), ["model_answer", "tool_result", "model_answer"], "{provider}");
        let Body::ToolResult { ok, text, .. } = &first.steps[1].body else { unreachable!() };
        assert!(!ok && text.contains("$.city: expected a string"), "{provider}: the model is told: {text}");
        let [ask] = first.asked.as_slice() else { panic!("{provider}: {:?}", first.asked) };
        assert_eq!((ask.purpose, &ask.schema), (Purpose::ToolCall, &None), "{provider}");
        assert_eq!(ask.tool.as_ref().unwrap().arguments, json!({"city": "Bonn"}), "{provider}");
        for (answer, shown) in [
            (Some(json!("sunny")), "sunny"),
            (Some(json!({"sun": 1.50})), "{\"sun\":1.50}"),
            (None, "the caller did not answer in time"),
        ] {
            let steps = [first.steps.clone(), vec![input(4, ask, answer)]].concat();
            let again = run_with(started(), &steps, answers(provider).split_off(2), Delivery::Text).await;
            assert_eq!(again.answer.unwrap().text, "done", "{provider}");
            assert_eq!(again.requests, 1, "{provider}: nothing is paid twice");
            assert_eq!(
                kinds(&again.steps)[4..],
                ["tool_result", "model_answer"],
                "{provider}: it is not started here"
            );
            let Body::ToolResult { text, .. } = &again.steps[4].body else { unreachable!() };
            assert_eq!(text, shown, "{provider}");
            // Once more from the record alone.
            let replayed = run_with(started(), &again.steps, Vec::new(), Delivery::Text).await;
            assert_eq!((replayed.requests, &replayed.conversation), (0, &again.conversation), "{provider}");
        }
    }
}

#[tokio::test]
async fn the_model_is_shown_both_kinds_of_tools() {
    for provider in PROVIDERS {
        let script = Script::new(vec![streamed(provider, Say::Text("done"))]);
        let mut opened = open(&script, begun(provider, weather("weather", false))).await.unwrap();
        opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
        let body = script.bodies()[0].to_string();
        for name in ["echo", "weather", "Looks up the weather."] {
            assert!(body.contains(name), "{provider}: {body}");
        }
    }
}

#[tokio::test]
async fn a_name_of_the_agent_is_refused() {
    let script = Script::new(Vec::<Canned>::new());
    let error = open(&script, begun("openai", weather("echo", false))).await.err().unwrap().to_string();
    assert!(error.contains("both have a tool `echo`"), "{error}");
}

#[tokio::test]
async fn a_call_that_is_required_is_asked_for() {
    let text = || streamed("openai", Say::Text("It is sunny."));
    let call = streamed("openai", Say::Call("weather", "{\"city\":\"Bonn\"}"));
    let started = || begun("openai", weather("weather", true));
    let asked = run_with(started(), &[], vec![text(), call], Delivery::Text).await;
    assert_eq!(asked.answer.unwrap_err().error, TurnError::InputRequired);
    let said = asked.conversation.to_string();
    assert!(said.contains("Call one of these tools: weather."), "{said}");
    let never = Start { max_steps: 10, ..started() };
    let never = run_with(never, &[], vec![text(), text(), text(), text()], Delivery::Text).await;
    let TurnError::Failed(message) = never.answer.unwrap_err().error else { panic!("it fails") };
    assert!(message.contains("tool_choice requires"), "{message}");
}
