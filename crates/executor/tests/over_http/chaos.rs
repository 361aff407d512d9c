//! A model that misbehaves in every way it knows: each turn ends, and a failed one is kept until it is asked again.

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
async fn every_turn_ends_and_a_failed_one_is_kept_until_it_is_asked_again() {
    let transport = &transport();
    for (seed, provider) in (1..).zip(PROVIDERS) {
        // An endless stream is read to the limit of an answer, which takes seconds here; it has tests of its own.
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
