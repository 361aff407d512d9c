//! Requests to Gemini, Bedrock and Cohere, and to servers that deviate from OpenAI's Chat
//! Completions.

use serde_json::{Value, json};

use super::samples::{Say, streamed, whole_body};
use super::script::{Canned, KEY, Script, native, open, schema, settings, start, tool, turn};
use crate::{Delivery, Example, Turn};

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

/// The request bodies of a turn in which the model calls a tool and then answers.
async fn loop_with(provider: &str, call: Canned) -> Vec<Value> {
    let script = Script::new([call, streamed(provider, Say::Text("done"))]);
    let mut opened = open(&script, start(settings(provider, json!({})), &["echo"], None)).await.unwrap();
    opened.ask(turn("Work", Delivery::Text)).await.unwrap();
    script.bodies()
}

#[tokio::test]
async fn gemini_requests() {
    let base = json!({
        "contents": [{"role": "user", "parts": [{"text": "Judge"}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
    });
    assert_eq!(plain("gemini", Delivery::Text).await, base);
    let format = json!({"responseMimeType": "application/json", "responseJsonSchema": schema()});
    assert_eq!(plain("gemini", native()).await, with(base.clone(), json!({"generationConfig": format})));
    let submit = json!({"name": "submit_result", "description": "Hands in the result.", "parametersJsonSchema": schema()});
    let forced = json!({
        "tools": [{"functionDeclarations": [submit]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["submit_result"]}},
    });
    assert_eq!(plain("gemini", tool(true, true)).await, with(base, forced));
    let config = async |more: Value| {
        let mut body = body("gemini", more, &[], turn("Judge", Delivery::Text)).await;
        body["generationConfig"].take()
    };
    assert_eq!(
        config(json!({"reasoning": "high", "temperature": 0.5, "max_tokens": 9})).await,
        json!({"maxOutputTokens": 9, "temperature": 0.5, "thinkingConfig": {"thinkingLevel": "high"}})
    );
    let older = json!({"reasoning": "low", "model": "gemini-2.5-flash"});
    assert_eq!(config(older).await, json!({"thinkingConfig": {"thinkingBudget": 1024}}));
    assert_eq!(config(json!({"reasoning": "off"})).await, Value::Null);
}

#[tokio::test]
async fn gemini_gets_its_signatures_back_and_results_without_our_ids() {
    let mut answer = whole_body("gemini", Say::Call("echo", "{\"n\":1}"));
    let part = json!({"functionCall": {"name": "echo", "args": {"n": 1}}, "thoughtSignature": "c2ln"});
    let thought = json!({"text": "I think.", "thought": true});
    answer["candidates"][0]["content"]["parts"] = json!([thought, part]);
    let bodies = loop_with("gemini", Canned::whole(&answer)).await;
    let result = json!({"functionResponse": {"name": "echo", "response": {"n": 1}}});
    let expected = json!([
        {"role": "user", "parts": [{"text": "Work"}]},
        {"role": "model", "parts": [part]},
        {"role": "user", "parts": [result]},
    ]);
    assert_eq!(bodies[1]["contents"], expected);
    // An id that the service sent is sent back.
    let bodies = loop_with("gemini", streamed("gemini", Say::Call("echo", "{\"n\":1}"))).await;
    assert_eq!(bodies[1]["contents"][2]["parts"][0]["functionResponse"]["id"], "call_a");
}

#[tokio::test]
async fn bedrock_requests() {
    let base = json!({
        "messages": [{"role": "user", "content": [{"text": "Judge"}]}],
        "system": [{"text": "Be brief."}],
    });
    assert_eq!(plain("bedrock", Delivery::Text).await, base);
    let structure = json!({"jsonSchema": {"name": "verdict", "schema": schema().to_string()}});
    let format = json!({"outputConfig": {"textFormat": {"type": "json_schema", "structure": structure}}});
    assert_eq!(plain("bedrock", native()).await, with(base.clone(), format));
    let submit = json!({"name": "submit_result", "description": "Hands in the result.", "inputSchema": {"json": schema()}, "strict": true});
    let forced = json!({"toolConfig": {"tools": [{"toolSpec": submit}], "toolChoice": {"tool": {"name": "submit_result"}}}});
    assert_eq!(plain("bedrock", tool(true, true)).await, with(base, forced));
    let claude = json!({"reasoning": 1024, "max_tokens": 2048, "model": "anthropic.claude-1:0"});
    let sent = body("bedrock", claude, &[], turn("Judge", Delivery::Text)).await;
    assert_eq!(sent["inferenceConfig"], json!({"maxTokens": 2048}));
    let thinking = json!({"thinking": {"type": "enabled", "budget_tokens": 1024}});
    assert_eq!(sent["additionalModelRequestFields"], thinking);
}

#[tokio::test]
async fn bedrock_gets_its_thoughts_and_the_results_of_calls_back() {
    let mut answer = whole_body("bedrock", Say::Call("echo", "{\"fail\":true}"));
    let thought = json!({"reasoningContent": {"reasoningText": {"text": "I think.", "signature": "c2ln"}}});
    let call = answer["output"]["message"]["content"][0].clone();
    answer["output"]["message"]["content"] = json!([thought, call]);
    let bodies = loop_with("bedrock", Canned::whole(&answer)).await;
    let result = json!({"toolUseId": "call_a", "content": [{"text": "{\"fail\":true}"}], "status": "error"});
    let expected = json!([
        {"role": "user", "content": [{"text": "Work"}]},
        {"role": "assistant", "content": [thought, call]},
        {"role": "user", "content": [{"toolResult": result}]},
    ]);
    assert_eq!(bodies[1]["messages"], expected);
}

#[tokio::test]
async fn cohere_requests() {
    let base = json!({
        "model": "m-1", "stream": true,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Judge"}],
    });
    assert_eq!(plain("cohere", Delivery::Text).await, base);
    let format = json!({"response_format": {"type": "json_object", "json_schema": schema()}});
    assert_eq!(plain("cohere", native()).await, with(base.clone(), format));
    let submit =
        json!({"name": "submit_result", "description": "Hands in the result.", "parameters": schema()});
    let tools = json!([{"type": "function", "function": submit}]);
    let forced = json!({"tools": tools, "tool_choice": "REQUIRED", "strict_tools": true});
    assert_eq!(plain("cohere", tool(true, true)).await, with(base, forced));
    let mut planned = whole_body("cohere", Say::Call("echo", "{\"n\":1}"));
    planned["message"]["tool_plan"] = json!("I will echo.");
    let bodies = loop_with("cohere", Canned::whole(&planned)).await;
    let call =
        json!({"id": "call_a", "type": "function", "function": {"name": "echo", "arguments": "{\"n\":1}"}});
    let message = json!({"role": "assistant", "tool_plan": "I will echo.", "tool_calls": [call]});
    assert_eq!(bodies[1]["messages"][2], message);
}

#[tokio::test]
async fn presets_have_different_requests() {
    let picked = async |provider: &str, more: Value, names: &[&str]| -> Value {
        let body = body(provider, more, &[], turn("Judge", tool(false, true))).await;
        names.iter().map(|&name| (name.to_owned(), body[name].clone())).collect()
    };
    let nine = || json!({"max_tokens": 9});
    let high = || json!({"reasoning": "high"});
    assert_eq!(
        picked("mistral", nine(), &["max_tokens", "stream_options"]).await,
        json!({"max_tokens": 9, "stream_options": null})
    );
    assert_eq!(picked("groq", nine(), &["max_completion_tokens"]).await, json!({"max_completion_tokens": 9}));
    assert_eq!(picked("deepseek", json!({}), &["thinking"]).await, json!({"thinking": {"type": "disabled"}}));
    let on = json!({"thinking": {"type": "enabled"}, "reasoning_effort": null});
    assert_eq!(picked("deepseek", high(), &["thinking", "reasoning_effort"]).await, on);
    assert_eq!(picked("openrouter", high(), &["reasoning"]).await, json!({"reasoning": {"effort": "high"}}));
    let budget = json!({"reasoning": {"max_tokens": 1024}});
    assert_eq!(picked("openrouter", json!({"reasoning": 1024}), &["reasoning"]).await, budget);
    for provider in ["lm-studio", "llama.cpp"] {
        assert_eq!(picked(provider, json!({}), &["tool_choice"]).await, json!({"tool_choice": "required"}));
    }
    let named = json!({"tool_choice": {"type": "function", "function": {"name": "submit_result"}}});
    assert_eq!(picked("vllm", json!({}), &["tool_choice"]).await, named);
}

#[tokio::test]
async fn mistral_gets_ids_that_it_accepts() {
    let example = Example { prompt: "One".into(), answer: "{\"a\":\"1\"}".into() };
    let asked = Turn { examples: vec![example], ..turn("Judge", tool(false, false)) };
    let messages = body("mistral", json!({}), &[], asked).await["messages"].clone();
    let id = messages[2]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{messages}");
    assert_eq!(messages[3]["tool_call_id"], id);
    let mut own = whole_body("mistral", Say::Call("echo", "{}"));
    own["choices"][0]["message"]["tool_calls"][0]["id"] = json!("D681PevKs");
    let bodies = loop_with("mistral", Canned::whole(&own)).await;
    assert_eq!(bodies[1]["messages"][3]["tool_call_id"], "D681PevKs");
}

#[tokio::test]
async fn deepseek_gets_no_answer_schema_and_no_forced_tool_while_thinking() {
    let of = async |more: Value| {
        let script = Script::new::<super::script::Step>([]);
        let opened = open(&script, start(settings("deepseek", more), &[], None)).await.unwrap();
        let capabilities = opened.session.capabilities();
        (capabilities.native, capabilities.tool.map(|tool| tool.force))
    };
    assert_eq!(of(json!({})).await, (None, Some(true)));
    assert_eq!(of(json!({"reasoning": "low"})).await, (None, Some(false)));
}

#[tokio::test]
async fn keys_are_sent_in_the_header_of_each_service() {
    for (provider, header) in [("gemini", "x-goog-api-key"), ("azure-openai", "api-key")] {
        let script = Script::new([streamed(provider, Say::Text("ok"))]);
        let mut opened = super::script::opened(&script, provider).await;
        opened.ask(turn("Judge", native())).await.unwrap();
        let request = script.requests().pop().unwrap();
        assert_eq!(request.headers, [(header.to_owned(), KEY.to_owned())]);
        assert!(!request.url.contains(KEY));
    }
}
