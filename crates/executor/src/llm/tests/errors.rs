//! Errors of providers, by the required reaction.

use serde_json::{Value, json};

use super::samples::PROVIDERS;
use super::script::{Canned, KEY, Script, Step, native, open, opened, settings, start, tool, turn};
use crate::llm::wire::frame;
use crate::{Delivery, Stop, TransportError, TurnError};

/// The error of one turn in which every request gets the same answer.
async fn error(provider: &str, canned: Canned, delivery: Delivery) -> TurnError {
    let script = Script::new(vec![canned; 9]);
    opened(&script, provider).await.ask(turn("Judge", delivery)).await.unwrap_err().error
}

fn openai(message: &str) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": null}})
}

#[tokio::test]
async fn distinguishes_a_rejected_schema_from_other_errors() {
    let schema = "Invalid schema for response_format 'verdict': 'additionalProperties' is required";
    let anthropic = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "output_config.format.schema: too complex"}});
    let cases = [
        ("anthropic", 400, anthropic),
        ("openai", 400, openai(schema)),
        ("openai-chat", 422, openai(schema)),
        (
            "openai",
            400,
            openai("Invalid schema for response_format 'result': 'uniqueItems' is not permitted."),
        ),
        ("openai-compatible", 500, openai("failed to parse grammar")),
        (
            "openai-chat",
            500,
            json!({"error": {"code": 500, "message": "failed to parse grammar", "type": "server_error"}}),
        ),
        (
            "openai",
            500,
            json!({"error": {"code": 500, "message": "failed to parse grammar", "type": "server_error"}}),
        ),
        ("openai-compatible", 400, openai("Failed to initialize samplers: failed to parse grammar")),
        ("ollama", 500, json!({"error": "pattern must start with '^' and end with '$'"})),
        ("llama.cpp", 500, openai("failed to parse grammar")),
        ("vllm", 400, openai("The provided JSON schema contains features not supported by xgrammar.")),
        (
            "gemini",
            400,
            json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
                "message": "The specified schema produces a constraint that has too many states for serving."}}),
        ),
        (
            "bedrock",
            400,
            json!({"message": "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"}),
        ),
    ];
    for (provider, status, body) in cases {
        let error = error(provider, Canned::error(status, &body), native()).await;
        assert!(matches!(error, TurnError::SchemaRejected(_)), "{provider}: {error:?}");
    }
}

#[tokio::test]
async fn distinguishes_an_unknown_field_from_a_rejected_schema() {
    let anthropic = json!({"type": "error", "error": {"type": "invalid_request_error",
        "message": "output_config: Extra inputs are not permitted"}});
    let unsupported =
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.";
    let cases = [
        ("anthropic", 400, anthropic),
        ("openai-chat", 400, openai(unsupported)),
        ("openai-compatible", 400, json!({"detail": "response_format is not known"})),
        ("openai-compatible", 400, openai("This model does not support structured outputs.")),
        ("openai-compatible", 400, openai("guided decoding is disabled on this server")),
        ("openai-compatible", 422, openai("'response_format.type' must be one of 'text', 'json_object'")),
        ("openai-compatible", 400, openai("'response_format.type' must be 'json_object' or 'text'")),
        ("openai-compatible", 400, openai("This response_format type is unavailable now")),
        ("openai-chat", 400, openai("response_format cannot be combined with tools")),
        (
            "openai",
            400,
            json!({"error": {"message": "Unknown parameter: 'text'.", "type": "invalid_request_error",
                "param": "text", "code": "unknown_parameter"}}),
        ),
        ("openai", 400, openai("Unsupported parameter: 'text.format' is not supported with this model.")),
        ("bedrock", 400, json!({"message": "This model doesn't support the outputConfig.textFormat field."})),
        (
            "gemini",
            400,
            openai("Function calling with a response mime type: 'application/json' is unsupported"),
        ),
    ];
    for (provider, status, body) in cases {
        let error = error(provider, Canned::error(status, &body), native()).await;
        assert!(matches!(error, TurnError::FormatRejected(_)), "{provider}: {error:?}");
    }
    let of_tool = [
        ("openai", "Invalid schema for function 'submit_result'"),
        (
            "anthropic",
            "Schema is too complex for compilation. Try reducing the number of tools or simplifying tool schemas.",
        ),
        ("anthropic", "tools.0.custom.input_schema.type: Field required"),
        (
            "anthropic",
            "Schemas contains too many parameters with union types (16 parameters with type arrays or anyOf).",
        ),
    ];
    for (provider, message) in of_tool {
        let error = error(provider, Canned::error(400, &openai(message)), tool(true, true)).await;
        assert!(matches!(error, TurnError::SchemaRejected(_)), "{provider}: {error:?}");
    }
}

#[tokio::test]
async fn an_answer_that_the_provider_rejects_is_the_models_answer() {
    let rejected = |code: &str, message: &str, generation: &str| {
        let error = json!({"message": message, "type": "invalid_request_error", "code": code,
            "failed_generation": generation});
        Canned::error(400, &json!({ "error": error }))
    };
    let failed =
        "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.";
    let cases = [
        (native(), rejected("json_validate_failed", failed, "{\"n\": tru"), Stop::Finished),
        (
            tool(true, true),
            rejected("tool_use_failed", "Failed to call a function.", "It is 1."),
            Stop::Finished,
        ),
        (
            native(),
            rejected(
                "json_validate_failed",
                "max completion tokens reached before generating a valid document",
                "",
            ),
            Stop::Truncated,
        ),
        (
            native(),
            Canned::error(400, &json!({"error": {"message": failed, "code": "json_validate_failed"}})),
            Stop::Finished,
        ),
    ];
    for (delivery, canned, stop) in cases {
        let script = Script::new([canned]);
        let answer = opened(&script, "openai-compatible").await.ask(turn("Judge", delivery)).await.unwrap();
        assert_eq!(answer.stop, stop, "{answer:?}");
        assert_eq!(script.requests().len(), 1);
    }
}

#[tokio::test]
async fn parts_of_words_do_not_match() {
    let suspended =
        openai("Your account is suspended. For more information contact support; usage is restricted.");
    for delivery in [native(), tool(true, true)] {
        let error = error("openai", Canned::error(400, &suspended), delivery).await;
        assert!(matches!(error, TurnError::Failed(_)), "{error:?}");
    }
}

#[tokio::test]
async fn reports_a_compressed_answer() {
    let mut zipped = Canned::text("application/json", "\u{1f}".into());
    zipped.headers.push(("Content-Encoding", "gzip".to_owned()));
    let error = error("openai", zipped, native()).await;
    assert!(
        matches!(&error, TurnError::Failed(words) if words.contains("content-encoding: gzip")),
        "{error:?}"
    );
}

#[tokio::test]
async fn distinguishes_a_rejected_tool_from_other_errors() {
    let cases = [
        ("anthropic", "Thinking may not be enabled when tool_choice forces tool use."),
        ("openai", "tools are not available for this model"),
        ("ollama", "registry.ollama.ai/library/tiny does not support tools"),
        ("deepseek", "Thinking mode does not support this tool_choice"),
    ];
    for (provider, message) in cases {
        let error = error(provider, Canned::error(400, &openai(message)), tool(true, true)).await;
        assert!(matches!(error, TurnError::ToolRejected(_)), "{provider}: {error:?}");
    }
}

#[tokio::test]
async fn plain_text_has_no_delivery_to_reject() {
    let error = error("openai", Canned::error(400, &openai("bad schema format tool")), Delivery::Text).await;
    assert_eq!(
        error,
        TurnError::Failed("openai https://api.openai.com/v1 responded 400: bad schema format tool".into())
    );
}

#[tokio::test]
async fn permanent_errors_contain_a_remedy() {
    let cases = [
        (401, "Incorrect API key provided", "check the key of provider `openai`"),
        (403, "no access", "may use model `m-1`"),
        (404, "The model does not exist", "check the name of model `m-1`"),
        (413, "request too large", "the conversation is too long for model `m-1`"),
        (400, "This model's maximum context length is 8192 tokens", "the conversation is too long"),
        (307, "", "set `base_url` to the final URL"),
        (400, "max_tokens is too small", "responded 400: max_tokens is too small"),
    ];
    for (status, message, words) in cases {
        let error = error("openai", Canned::error(status, &openai(message)), native()).await;
        let TurnError::Failed(said) = error else {
            panic!("{status}: {error:?}");
        };
        assert!(said.contains(words), "{status}: {said}");
    }
}

#[tokio::test]
async fn reports_that_a_key_was_withheld() {
    let script = Script::new([Canned::error(401, &openai("no key"))]);
    let elsewhere = settings("openai", json!({"base_url": "http://127.0.0.1:9/v1"}));
    let mut opened = open(&script, start(elsewhere, &[], None)).await.unwrap();
    let failure = opened.ask(turn("Judge", native())).await.unwrap_err();
    assert!(failure.to_string().contains("configure a provider with this URL"), "{failure}");
    assert_eq!(script.requests().pop().unwrap().headers, []);
}

#[tokio::test]
async fn an_exhausted_quota_is_not_retried() {
    let body = json!({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}});
    let script = Script::new([Canned::error(429, &body)]);
    let failure = opened(&script, "openai").await.ask(turn("Judge", native())).await.unwrap_err();
    assert!(matches!(&failure.error, TurnError::Failed(words) if words.contains("billing")), "{failure:?}");
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn a_key_repeated_by_a_provider_is_removed() {
    for status in [400, 401, 403, 404, 429, 500] {
        for provider in PROVIDERS {
            let body = openai(&format!("the key {KEY} is not good"));
            let script = Script::new(vec![Canned::error(status, &body); 9]);
            let mut opened = opened(&script, provider).await;
            let failure = opened.ask(turn("Judge", native())).await.unwrap_err();
            let shown = format!("{failure:?} {failure} {:?}", opened.heard());
            assert!(!shown.contains(KEY), "{provider} {status}: {shown}");
        }
    }
}

#[tokio::test]
async fn an_invalid_answer_is_a_failure() {
    let html = Canned::text("application/json", "<html>".into());
    for (provider, canned) in PROVIDERS.into_iter().flat_map(|provider| {
        [(provider, html.clone()), (provider, Canned::whole(&json!({"hello": "world"})))]
    }) {
        let error = error(provider, canned, native()).await;
        assert!(
            matches!(&error, TurnError::Failed(words) if words.contains("cannot be parsed")),
            "{provider}: {error:?}"
        );
    }
    let broken = Canned::text("text/event-stream", "data: {oops\n\n".into());
    let error = error("anthropic", broken, native()).await;
    assert!(matches!(&error, TurnError::Failed(words) if words.contains("not JSON")), "{error:?}");
}

#[tokio::test]
async fn an_error_instead_of_an_answer_is_reported() {
    let told = json!({"message": "account suspended", "type": "invalid_request_error", "code": "400"});
    let told = json!({"error": told});
    for provider in PROVIDERS {
        let stream = match provider {
            "ollama" => Canned::lines(std::slice::from_ref(&told)),
            "bedrock" => {
                let headers = [(":message-type", "exception"), (":exception-type", "validationException")];
                let body = frame(&headers, r#"{"message": "account suspended"}"#);
                Canned { body, ..Canned::text("application/vnd.amazon.eventstream", String::new()) }
            }
            _ => Canned::events(std::slice::from_ref(&told)),
        };
        let named = Canned::text("text/event-stream", told.to_string());
        for canned in [Canned::whole(&told), stream, named] {
            let script = Script::new([canned]);
            let failure = opened(&script, provider).await.ask(turn("Judge", native())).await.unwrap_err();
            let said = failure.error.to_string();
            assert!(said.ends_with("responded 400: account suspended"), "{provider}: {said}");
        }
    }
    let words = Canned::text("text/event-stream", format!("event: error\ndata: model {KEY} crashed\n\n"));
    let error = error("openai-compatible", words, native()).await;
    let expected = "an event of the response is not JSON: model [secret] crashed; check";
    assert!(matches!(&error, TurnError::Failed(said) if said.contains(expected)), "{error:?}");
}

#[tokio::test]
async fn reports_a_lone_surrogate() {
    for half in ["\\ud83d", "\\ude00", "\\ud83dx"] {
        let event = format!("data: {{\"choices\": [{{\"delta\": {{\"content\": \"{half}\"}}}}]}}\n\n");
        let canned = Canned::text("text/event-stream", event + "data: [DONE]\n\n");
        let error = error("openai-compatible", canned, native()).await;
        let expected = "an event of the response contains a lone surrogate";
        assert!(matches!(&error, TurnError::Failed(said) if said.contains(expected)), "{half}: {error:?}");
    }
}

#[tokio::test]
async fn unsupported_features_are_recognized_by_any_status() {
    let tools = [
        (500, "tools param requires --jinja flag"),
        (500, "Unsupported param: tools"),
        (501, "tools are not implemented"),
        (404, "No endpoints found that support tool use. To learn more, visit https://example.com/docs"),
        (404, "No endpoints found that support the provided 'tool_choice' value."),
    ];
    for (status, message) in tools {
        for delivery in [native(), tool(true, true)] {
            let error = error("openai-compatible", Canned::error(status, &openai(message)), delivery).await;
            assert!(matches!(error, TurnError::ToolRejected(_)), "{message}: {error:?}");
        }
        let error = error("openai-chat", Canned::error(status, &openai(message)), Delivery::Text).await;
        assert!(matches!(error, TurnError::Failed(_)), "{message}: {error:?}");
    }
    let formats = [
        (500, "response_format json_schema is not supported"),
        (501, "response_format json_schema is not implemented"),
        (404, "No endpoints found that can handle the requested parameters."),
    ];
    for (provider, (status, message)) in
        ["openai-chat", "openai-compatible"].into_iter().flat_map(|kind| formats.map(|case| (kind, case)))
    {
        let error = error(provider, Canned::error(status, &openai(message)), native()).await;
        assert!(matches!(error, TurnError::FormatRejected(_)), "{provider} {message}: {error:?}");
    }
}

#[tokio::test]
async fn does_not_confuse_errors_with_similar_words() {
    let passing = [
        (500, "Unexpected error while calling the function"),
        (503, "The tool service is not available"),
        (500, "The CUDA toolkit is not supported"),
        (500, "The model `m-1` is not supported"),
        (500, "out of memory"),
    ];
    for (status, message) in passing {
        let error = error("openai-chat", Canned::error(status, &openai(message)), tool(true, true)).await;
        assert!(matches!(error, TurnError::Transport(_)), "{message}: {error:?}");
    }
    for message in
        ["No endpoints found for m-1.", "The model `m-1` is not supported for functions", "no such route"]
    {
        let error = error("openai-compatible", Canned::error(404, &openai(message)), tool(true, true)).await;
        assert!(
            matches!(&error, TurnError::Failed(said) if said.contains("check the name of model `m-1`")),
            "{message}: {error:?}"
        );
    }
    let script = Script::new(vec![Canned::error(500, &openai("The model `no-tools` is not supported")); 6]);
    let named = start(settings("openai-chat", json!({"model": "no-tools"})), &[], None);
    let mut opened = open(&script, named).await.unwrap();
    let error = opened.ask(turn("Judge", tool(true, true))).await.unwrap_err().error;
    assert!(matches!(error, TurnError::Transport(_)), "{error:?}");
}

#[tokio::test]
async fn an_impossible_request_is_not_repeated() {
    let script = Script::new([Step::Lost(TransportError::Impossible("no such recording".into()))]);
    let failure = opened(&script, "ollama").await.ask(turn("Judge", native())).await.unwrap_err();
    let expected = "cannot send the request to ollama http://127.0.0.1:11434: no such recording";
    assert_eq!(failure.error, TurnError::Failed(expected.into()));
}

#[tokio::test]
async fn unsuitable_settings_are_rejected_at_once() {
    let script = Script::new::<Step>([]);
    let refused = async |provider: &str, more: Value| {
        let start = start(settings(provider, more), &[], None);
        open(&script, start).await.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(refused("gemeni", json!({})).await.contains("expected one of anthropic, azure-openai, bedrock"));
    assert!(refused("ollama", json!({"colour": 1})).await.contains("colour"));
    let both = json!({"reasoning": "low", "temperature": 0});
    assert!(refused("anthropic", both.clone()).await.contains("remove one"));
    assert_eq!(refused("openai", both).await, "");
}
