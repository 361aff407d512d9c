//! Requests, by dialect and delivery.

use std::sync::Arc;

use serde_json::{Value, json};

use super::samples::{Say, streamed};
use super::script::{KEY, Script, native, open, schema, settings, start, tool, turn};
use crate::{
    Capabilities, Delivery, Example, Executor as _, LlmExecutor, NoTools, Provider, ProviderKind, Providers,
    Secret, Start, Tool, Turn,
};

/// The request body of a first turn.
async fn body(provider: &str, more: Value, tools: &[&str], turn: Turn) -> Value {
    let script = Script::new([streamed(provider, Say::Text("ok"))]);
    let mut opened = open(&script, start(settings(provider, more), tools, None)).await.unwrap();
    opened.ask(turn).await.unwrap();
    script.bodies().pop().unwrap()
}

async fn plain(provider: &str, delivery: Delivery) -> Value {
    body(provider, json!({}), &[], turn("Judge", delivery)).await
}

fn with(mut base: Value, more: Value) -> Value {
    if let (Some(fields), Some(more)) = (base.as_object_mut(), more.as_object()) {
        fields.extend(more.clone());
    }
    base
}

#[tokio::test]
async fn anthropic_requests() {
    let base = json!({
        "model": "m-1", "max_tokens": 8192, "stream": true, "system": "Be brief.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Judge"}]}],
    });
    assert_eq!(plain("anthropic", Delivery::Text).await, base);
    let format = json!({"output_config": {"format": {"type": "json_schema", "schema": schema()}}});
    assert_eq!(plain("anthropic", native()).await, with(base.clone(), format));
    let submit = json!({"name": "submit_result", "description": "Hands in the result.", "strict": true, "input_schema": schema()});
    let forced = json!({
        "tools": [submit],
        "tool_choice": {"type": "tool", "name": "submit_result", "disable_parallel_tool_use": true},
    });
    assert_eq!(plain("anthropic", tool(true, true)).await, with(base.clone(), forced));
    let echo = json!({"name": "echo", "description": "Says it again.", "input_schema": {"type": "object"}});
    let both = body("anthropic", json!({}), &["echo"], turn("Judge", tool(true, false))).await;
    assert_eq!(both, with(base, json!({"tools": [echo, submit]})));
}

#[tokio::test]
async fn responses_requests() {
    let base = json!({
        "model": "m-1", "stream": true, "store": false, "instructions": "Be brief.",
        "input": [{"role": "user", "content": "Judge"}],
    });
    assert_eq!(plain("openai", Delivery::Text).await, base);
    let format = json!({"type": "json_schema", "name": "verdict", "schema": schema(), "strict": true});
    assert_eq!(plain("openai", native()).await, with(base.clone(), json!({"text": {"format": format}})));
    let submit = json!({"type": "function", "name": "submit_result", "description": "Hands in the result.", "parameters": schema(), "strict": true});
    let forced = json!({"tools": [submit], "tool_choice": {"type": "function", "name": "submit_result"}});
    assert_eq!(plain("openai", tool(true, true)).await, with(base.clone(), forced));
    let echo = json!({"type": "function", "name": "echo", "description": "Says it again.", "parameters": {"type": "object"}, "strict": false});
    let both = body("openai", json!({}), &["echo"], turn("Judge", tool(true, false))).await;
    assert_eq!(both, with(base, json!({"tools": [echo, submit]})));
}

#[tokio::test]
async fn chat_requests() {
    for provider in ["openai-chat", "openai-compatible"] {
        let base = json!({
            "model": "m-1", "stream": true, "stream_options": {"include_usage": true},
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Judge"}],
        });
        assert_eq!(plain(provider, Delivery::Text).await, base);
        let format = json!({"name": "verdict", "schema": schema(), "strict": true});
        let format = json!({"response_format": {"type": "json_schema", "json_schema": format}});
        assert_eq!(plain(provider, native()).await, with(base.clone(), format));
        let function =
            json!({"name": "submit_result", "description": "Hands in the result.", "parameters": schema()});
        let strict = json!({"type": "function", "function": with(function.clone(), json!({"strict": true}))});
        let choice = json!({"type": "function", "function": {"name": "submit_result"}});
        let forced = with(base.clone(), json!({"tools": [strict], "tool_choice": choice}));
        assert_eq!(plain(provider, tool(true, true)).await, forced);
        let echo = json!({"name": "echo", "description": "Says it again.", "parameters": {"type": "object"}});
        let tools =
            json!([{"type": "function", "function": echo}, {"type": "function", "function": function}]);
        let both = body(provider, json!({}), &["echo"], turn("Judge", tool(false, false))).await;
        assert_eq!(both, with(base, json!({ "tools": tools })));
    }
}

#[tokio::test]
async fn ollama_requests() {
    let base = json!({
        "model": "m-1", "stream": true,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Judge"}],
    });
    assert_eq!(plain("ollama", Delivery::Text).await, base);
    assert_eq!(plain("ollama", native()).await, with(base.clone(), json!({"format": schema()})));
    let submit =
        json!({"name": "submit_result", "description": "Hands in the result.", "parameters": schema()});
    let tools = json!({"tools": [{"type": "function", "function": submit}]});
    assert_eq!(plain("ollama", tool(true, true)).await, with(base, tools));
}

#[tokio::test]
async fn settings_have_their_names_in_each_dialect() {
    let picked = |body: &Value, names: &[&str]| -> Value {
        names.iter().map(|&name| (name.to_owned(), body[name].clone())).collect()
    };
    let high = json!({"max_tokens": 9, "reasoning": "high"});
    let asked = || turn("Judge", native());
    let anthropic = body("anthropic", high.clone(), &[], asked()).await;
    assert_eq!(
        picked(&anthropic, &["max_tokens", "thinking", "output_config"]),
        json!({
            "max_tokens": 9, "thinking": {"type": "adaptive"},
            "output_config": {"effort": "high", "format": {"type": "json_schema", "schema": schema()}},
        })
    );
    let budget = body("anthropic", json!({"reasoning": 1024}), &[], turn("Judge", Delivery::Text)).await;
    assert_eq!(
        picked(&budget, &["max_tokens", "thinking", "output_config"]),
        json!({"max_tokens": 9216, "thinking": {"type": "enabled", "budget_tokens": 1024}, "output_config": null})
    );
    let high = with(high, json!({"temperature": 0.5}));
    let responses = body("openai", high.clone(), &[], asked()).await;
    assert_eq!(
        picked(&responses, &["max_output_tokens", "temperature", "reasoning", "include"]),
        json!({"max_output_tokens": 9, "temperature": 0.5, "reasoning": {"effort": "high"}, "include": ["reasoning.encrypted_content"]})
    );
    let chat = body("openai-chat", high.clone(), &[], asked()).await;
    assert_eq!(
        picked(&chat, &["max_completion_tokens", "max_tokens", "temperature", "reasoning_effort"]),
        json!({"max_completion_tokens": 9, "max_tokens": null, "temperature": 0.5, "reasoning_effort": "high"})
    );
    let compatible = body("openai-compatible", high.clone(), &[], asked()).await;
    assert_eq!(compatible["max_tokens"], 9);
    let ollama = body("ollama", high, &[], asked()).await;
    assert_eq!(
        picked(&ollama, &["options", "think"]),
        json!({"options": {"temperature": 0.5, "num_predict": 9}, "think": "high"})
    );
}

#[tokio::test]
async fn a_turn_can_name_another_model_and_ceiling() {
    let asked = Turn { model: Some("m-2".into()), max_tokens: Some(99), ..turn("Judge", Delivery::Text) };
    let body = body("anthropic", json!({"max_tokens": 9}), &[], asked).await;
    assert_eq!((&body["model"], &body["max_tokens"]), (&json!("m-2"), &json!(99)));
}

#[tokio::test]
async fn examples_come_before_the_conversation_in_the_form_of_the_answer() {
    let example = || vec![Example { prompt: "One".into(), answer: "{\"a\":\"1\"}".into() }];
    let asked = Turn { examples: example(), ..turn("Judge", Delivery::Text) };
    let told = body("openai-chat", json!({}), &[], asked).await;
    let messages = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "One"},
        {"role": "assistant", "content": "{\"a\":\"1\"}"},
        {"role": "user", "content": "Judge"},
    ]);
    assert_eq!(told["messages"], messages);
    let asked = Turn { examples: example(), ..turn("Judge", tool(true, false)) };
    let told = body("anthropic", json!({}), &[], asked).await;
    assert_eq!(told["messages"][1]["content"][0]["input"], json!({"a": "1"}), "{told}");
    assert_eq!(told["messages"][2]["content"][0]["tool_use_id"], told["messages"][1]["content"][0]["id"]);
}

#[tokio::test]
async fn a_fresh_turn_drops_earlier_messages_of_the_run() {
    let script =
        Script::new([streamed("openai-chat", Say::Text("echo")), streamed("openai-chat", Say::Text("ok"))]);
    let mut opened = super::script::opened(&script, "openai-chat").await;
    opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
    opened.ask(Turn { fresh: true, ..turn("Judge", Delivery::Text) }).await.unwrap();
    let [first, second] = script.bodies().try_into().unwrap();
    assert_eq!(first["messages"], second["messages"]);
}

#[tokio::test]
async fn the_key_is_only_in_the_headers() {
    let script = Script::new([streamed("anthropic", Say::Text("ok"))]);
    let mut opened = super::script::opened(&script, "anthropic").await;
    opened.ask(turn("Judge", native())).await.unwrap();
    let request = script.requests().pop().unwrap();
    assert_eq!(request.url, "https://api.anthropic.com/v1/messages");
    assert!(request.headers.contains(&("x-api-key".to_owned(), KEY.to_owned())));
    let elsewhere = format!("{} {:?} {:?}", request.body, opened.heard(), opened.session.conversation());
    assert!(!elsewhere.contains(KEY), "{elsewhere}");
}

#[tokio::test]
async fn capabilities_match_each_provider() {
    let of = async |provider: &str, more: Value| {
        let script = Script::new::<super::script::Step>([]);
        let opened = open(&script, start(settings(provider, more), &[], None)).await.unwrap();
        opened.session.capabilities()
    };
    let expected = |endpoint: &str, profile: &str, own: bool| Capabilities {
        endpoint: endpoint.into(),
        model: "m-1".into(),
        native: Some(profile.into()),
        tool: Some(Tool { profile: profile.into(), strict: own, force: true }),
        json_mode: !endpoint.starts_with("anthropic"),
        native_beside_tools: own,
        reprompt: true,
        max_tokens: Some(9),
        takes_ceiling: true,
        repeats: true,
        records_steps: true,
        takes_pdfs: true,
    };
    let nine = || json!({"max_tokens": 9});
    assert_eq!(
        of("anthropic", nine()).await,
        expected("anthropic https://api.anthropic.com", "anthropic", true)
    );
    assert_eq!(of("openai", nine()).await, expected("openai https://api.openai.com/v1", "openai", true));
    let compatible = expected("openai-compatible http://127.0.0.1:8080/v1", "openai", false);
    assert_eq!(of("openai-compatible", nine()).await, compatible);
    let llama = json!({"max_tokens": 9, "schema_profile": "llama.cpp"});
    let expected = expected("openai-compatible http://127.0.0.1:8080/v1", "llama.cpp", false);
    assert_eq!(of("openai-compatible", llama).await, expected);
    // Thinking tokens count toward the token limit that a cut answer raises.
    let ceilings =
        [(json!({}), 8192), (json!({"reasoning": "high"}), 8192), (json!({"reasoning": 20000}), 28192)];
    for (more, expected) in ceilings {
        assert_eq!(of("anthropic", more).await.max_tokens, Some(expected));
    }
    let force = |capabilities: Capabilities| capabilities.tool.map(|tool| tool.force);
    assert_eq!(force(of("ollama", nine()).await), Some(false));
    assert_eq!(force(of("openai", json!({"reasoning": "low"})).await), Some(false));
    assert_eq!(force(of("openai", json!({"reasoning": "off"})).await), Some(true));
}

#[tokio::test]
async fn cost_limits_require_known_prices() {
    let limited = || Start { costs_are_limited: true, ..start(settings("openai", json!({})), &[], None) };
    let script = Script::new::<super::script::Step>([]);
    assert!(open(&script, limited()).await.is_ok());
    let provider = Provider { api_key: Some(Secret::new(KEY)), ..Provider::new(ProviderKind::OpenAi) };
    let providers = Providers::default().with("openai", provider);
    let executor = LlmExecutor::new(providers, script, Arc::new(NoTools));
    let error = executor.open(limited()).await.err().unwrap().to_string();
    let words = ["limits.max_cost_usd", "\"openai/m-1\" under [prices]", "max_tokens_total"];
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
}
