//! Every kind of answer of a service, in each protocol.

use std::sync::Arc;

use accord_executor::{Answer, Delivery, HttpTransport, Stop, TurnError, TurnFailure, Usage};
use accord_test_support::{DropPoint, JsonSchemaHabit, ModelServer, Reply, SUBMIT_TOOL, Script};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{PROVIDERS, native, open, silence, submit, transport, turn};

async fn asked(
    transport: &Arc<HttpTransport>,
    provider: &str,
    script: impl Into<Script>,
    delivery: Delivery,
) -> Result<Answer, TurnFailure> {
    let server = ModelServer::start(script).await.unwrap();
    let mut session = open(transport, &server, provider).await;
    let answer = session.turn(turn("Judge", delivery), &silence(), &CancellationToken::new()).await;
    assert_eq!(server.remaining(), 0, "{provider}: {answer:?}");
    answer
}

#[tokio::test]
async fn texts_arrive_in_every_api() {
    let transport = &transport();
    for provider in PROVIDERS {
        let reply = Reply::text("caf\u{e9} \u{1f600}").thinking("Hm.").usage(11, 7);
        let answer = asked(transport, provider, reply, native()).await.unwrap();
        let usage = Usage { input_tokens: 11, output_tokens: 7, cost_usd: None };
        let expected = Answer { usage, ..Answer::of_text("caf\u{e9} \u{1f600}", "m-1") };
        assert_eq!(answer, expected, "{provider}");

        let reply = Reply::submit(&json!({"a": "x"})).and_tool(SUBMIT_TOOL, &json!({"a": "y"}));
        let answer = asked(transport, provider, reply, submit()).await.unwrap();
        let submissions = vec![r#"{"a":"x"}"#.to_owned(), r#"{"a":"y"}"#.to_owned()];
        assert_eq!((answer.submissions, answer.stop), (submissions, Stop::Submitted), "{provider}");

        let reply = Reply::tool_text(SUBMIT_TOOL, "result = 1");
        let answer = asked(transport, provider, reply, submit()).await.unwrap();
        assert_eq!(answer.submissions, ["result = 1"], "{provider}");
    }
}

#[tokio::test]
async fn every_api_reports_each_end() {
    let transport = &transport();
    for provider in PROVIDERS {
        let answer = asked(transport, provider, Reply::truncated("{\"a\": \"b"), native()).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.stop), ("{\"a\": \"b", Stop::Truncated), "{provider}");
        let answer = asked(transport, provider, Reply::empty(), native()).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.stop), ("", Stop::Finished), "{provider}");
        let answer = asked(transport, provider, Reply::refusal("No."), native()).await.unwrap();
        let expected = match provider {
            "ollama" => Stop::Finished,
            _ => Stop::Refused("No.".into()),
        };
        assert_eq!(answer.stop, expected, "{provider}");
    }
}

#[tokio::test]
async fn transient_errors_are_retried_in_every_protocol() {
    let transport = &transport();
    for provider in PROVIDERS {
        let replies = [
            Reply::error(529, "Overloaded"),
            Reply::fails_midway("Overloaded"),
            Reply::drop_connection(),
            Reply::text("never").dropped(DropPoint::BeforeHeaders),
            Reply::error(429, "Slow down").retry_after(0),
            Reply::text("ok"),
        ];
        assert_eq!(asked(transport, provider, replies, native()).await.unwrap().text, "ok", "{provider}");
    }
}

#[tokio::test]
async fn errors_are_classified_in_every_protocol() {
    let transport = &transport();
    for provider in PROVIDERS {
        let error = async |reply: Reply, delivery| {
            asked(transport, provider, reply, delivery).await.unwrap_err().error
        };
        let rejected = error(Reply::schema_rejected("'pattern' is not permitted"), native()).await;
        assert!(matches!(rejected, TurnError::SchemaRejected(_)), "{provider}: {rejected:?}");
        let rejected = error(Reply::schema_rejected("'pattern' is not permitted"), submit()).await;
        let expected = matches!(rejected, TurnError::SchemaRejected(_) | TurnError::ToolRejected(_));
        assert!(expected, "{provider}: {rejected:?}");
        for status in [400, 401, 403, 404] {
            let failed = error(Reply::error(status, "no"), native()).await;
            assert!(matches!(failed, TurnError::Failed(_)), "{provider}: {failed:?}");
        }
        let garbage = error(Reply::garbage("<html>502 Bad Gateway</html>"), native()).await;
        assert!(matches!(garbage, TurnError::Failed(_)), "{provider}: {garbage:?}");
    }
    for habit in [JsonSchemaHabit::Refuses, JsonSchemaHabit::RefusesBesideTools] {
        let server = ModelServer::start_with(Reply::text("ok"), habit).await.unwrap();
        let mut session = open(transport, &server, "openai-compatible").await;
        let result = session.turn(turn("Judge", native()), &silence(), &CancellationToken::new()).await;
        let refused = matches!(result, Err(TurnFailure { error: TurnError::FormatRejected(_), .. }));
        assert_eq!(refused, habit == JsonSchemaHabit::Refuses, "{result:?}");
    }
}

#[tokio::test]
async fn a_cancelled_turn_closes_its_connection() {
    let transport = &transport();
    for provider in PROVIDERS {
        for reply in [Reply::hang(), Reply::endless()] {
            let server = ModelServer::start(reply).await.unwrap();
            let mut session = open(transport, &server, provider).await;
            let (cancel, events) = (CancellationToken::new(), silence());
            let (result, ()) = tokio::join!(session.turn(turn("Judge", native()), &events, &cancel), async {
                server.wait_for_requests(1).await;
                cancel.cancel();
            });
            assert_eq!(result.unwrap_err().error, TurnError::Stopped, "{provider}");
            server.wait_until_idle().await;
        }
    }
}

#[tokio::test]
async fn a_conversation_continues_over_several_turns() {
    let transport = &transport();
    for provider in PROVIDERS {
        let server = ModelServer::start([Reply::submit(&json!({"a": 1})), Reply::submit(&json!({"a": "x"}))])
            .await
            .unwrap();
        let mut session = open(transport, &server, provider).await;
        let cancel = CancellationToken::new();
        session.turn(turn("Judge", submit()), &silence(), &cancel).await.unwrap();
        let answer = session.turn(turn("a must be a string", submit()), &silence(), &cancel).await.unwrap();
        assert_eq!(answer.submissions, [r#"{"a":"x"}"#], "{provider}");
        let last = server.requests().pop().unwrap();
        assert_eq!(last.last_text(), "a must be a string", "{provider}");
        assert!(last.streams() && last.offers_submit(), "{provider}");
    }
}
