//! A model that misbehaves in every known way: each turn ends, and a failed one stays pending until
//! it is repeated.

use accord_executor::{Stop, TurnError};
use accord_test_support::{ChaosModel, Misbehaviour, ModelServer};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{PROVIDERS, native, open, schema, silence, submit, transport, turn};

/// Enough that most misbehaviours occur in each protocol.
const TURNS: u64 = 80;

/// Turns of one conversation. Each request sends all of it, and it may contain a mebibyte of
/// braces.
const TURNS_OF_A_SESSION: u64 = 8;

#[tokio::test]
async fn every_turn_ends_and_a_failed_one_can_be_repeated() {
    let transport = &transport();
    for (seed, provider) in (1..).zip(PROVIDERS) {
        // An endless stream is read up to the limit of an answer, which takes seconds; other tests
        // cover it.
        let chaos = ChaosModel::new(seed, schema(), json!({"a": "x"})).weight(Misbehaviour::EndlessStream, 0);
        let server = ModelServer::start(chaos.clone()).await.unwrap();
        let mut session = open(transport, &server, provider).await;
        let mut failed = None;
        for number in 0..TURNS {
            if number % TURNS_OF_A_SESSION == 0 {
                session = open(transport, &server, provider).await;
                failed = None;
            }
            let delivery = if number % 2 == 0 { native() } else { submit() };
            let prompt = format!("seed-{number}");
            let asked = session.turn(turn(&prompt, delivery), &silence(), &CancellationToken::new()).await;
            let stored = session.conversation().unwrap().to_string();
            let is_said = |prompt: &str| stored.contains(&format!("\"{prompt}\""));
            assert!(is_said(&prompt), "{provider} {prompt}: {asked:?}");
            let again = failed.take().is_some_and(|failed: String| is_said(&failed));
            assert!(!again, "{provider} {prompt}: what failed before is still there");
            match asked {
                Ok(answer) => {
                    let submitted = answer.stop == Stop::Submitted;
                    assert!(!submitted || !answer.submissions.is_empty(), "{provider} {prompt}: {answer:?}");
                }
                Err(failure) => {
                    let expected = !matches!(failure.error, TurnError::Stopped | TurnError::TimedOut(_));
                    assert!(expected, "{provider} {prompt}: {failure:?}");
                    failed = Some(prompt);
                }
            }
        }
        let deeds: usize = chaos.all_deeds().values().map(Vec::len).sum();
        assert!(deeds as u64 >= TURNS, "{provider}: {deeds}");
    }
}
