//! A model that misbehaves in every way it knows: each turn ends, and a failed one leaves no trace.

use accord_executor::{Stop, TurnError};
use accord_test_support::{ChaosModel, Misbehaviour, ModelServer};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{PROVIDERS, native, open, schema, silence, submit, transport, turn};

/// Enough that most misbehaviours come up on each wire.
const TURNS: u64 = 80;

/// How long one conversation gets. Each request sends all of it, and a mebibyte of braces may be in it.
const TURNS_OF_A_SESSION: u64 = 8;

#[tokio::test]
async fn every_turn_ends_and_a_failed_one_leaves_no_trace() {
    let transport = &transport();
    for (seed, provider) in (1..).zip(PROVIDERS) {
        // An endless stream is read to the limit of an answer, which takes seconds here; it has tests of its own.
        let chaos = ChaosModel::new(seed, schema(), json!({"a": "x"})).weight(Misbehaviour::EndlessStream, 0);
        let server = ModelServer::start(chaos.clone()).await.unwrap();
        let mut session = open(transport, &server, provider).await;
        for number in 0..TURNS {
            if number % TURNS_OF_A_SESSION == 0 {
                session = open(transport, &server, provider).await;
            }
            let delivery = if number % 2 == 0 { native() } else { submit() };
            let before = session.conversation();
            let prompt = format!("seed-{number}");
            match session.turn(turn(&prompt, delivery), &silence(), &CancellationToken::new()).await {
                Ok(answer) => {
                    let submitted = answer.stop == Stop::Submitted;
                    assert!(!submitted || !answer.submissions.is_empty(), "{provider} {prompt}: {answer:?}");
                }
                Err(failure) => {
                    assert_eq!(session.conversation(), before, "{provider} {prompt}: {failure:?}");
                    let expected = !matches!(failure.error, TurnError::Stopped | TurnError::TimedOut(_));
                    assert!(expected, "{provider} {prompt}: {failure:?}");
                }
            }
        }
        let deeds: usize = chaos.all_deeds().values().map(Vec::len).sum();
        assert!(deeds as u64 >= TURNS, "{provider}: {deeds}");
    }
}
