//! Agents implemented by external programs: re-prompted in place, or held to their contract by the
//! coordinator.

use std::path::Path;

use accord_api::{Attempt, CreateRun, FailureType, RunStatus};
use serde_json::{Value, json};

use crate::support::{Project, ask, data, kinds, severity};

pub(crate) fn example(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/external").join(name);
    file.canonicalize().unwrap().display().to_string()
}

/// An agent whose command reads a question and has no memory.
fn one_shot(script: &str, retries: u32) -> Value {
    json!({
        "name": "one-shot",
        "system_prompt": "You sort tickets.",
        "executor": {
            "type": "external", "command": example("wrap.sh"), "args": ["sh", "-c", script], "reprompt": false,
        },
        "output_schema": severity(),
        "output_schema_options": {"max_retries": retries},
    })
}

async fn attempts(accord: &crate::support::Accord, run: &accord_api::RunId) -> Vec<Attempt> {
    accord.client.attempts(run).await.unwrap().items
}

#[tokio::test]
async fn the_coordinator_asks_again_until_the_answer_conforms() {
    // The second process knows the first answer only from its prompt.
    let script = r#"if grep -q '"answer": "urgent"'; then echo '{"severity": "high"}'; else echo urgent; fi"#;
    let accord = Project::new().agent(&one_shot(script, 1)).up().await;
    let run = accord.run(&ask("one-shot")).await;
    assert_eq!(
        (run.status, data(&run)),
        (RunStatus::Completed, Some(json!({"severity": "high"}))),
        "{run:?}"
    );
    let validation = run.result.as_ref().unwrap().schema_validation.as_ref().unwrap();
    assert_eq!((validation.retry_count, validation.attempts), (1, 2));
    let attempts = attempts(&accord, &run.run_id).await;
    let seen: Vec<_> = attempts.iter().map(|each| (each.outcome.as_str(), each.delivery)).collect();
    assert_eq!(seen, [("no_json", 1), ("accepted", 2)]);
    assert!(attempts[1].prompt.as_ref().unwrap().starts_with("<output-validation-error>"));
    let told = kinds(&accord.events(&run.run_id).await);
    assert_eq!(told.iter().filter(|kind| **kind == "run.claimed").count(), 2, "{told:?}");
    assert_eq!(told.last(), Some(&"run.completed"));
    accord.end().await;
}

#[tokio::test]
async fn the_coordinator_gives_up_when_retries_run_out() {
    // Each process answers something else, so that each is worth another try.
    let script = r#"cat > /dev/null; echo "{\"severity\": \"dire $$\"}""#;
    let accord = Project::new().agent(&one_shot(script, 2)).up().await;
    let run = accord.run(&ask("one-shot")).await;
    let error = run.error.as_ref().unwrap();
    assert_eq!((run.status, error.kind), (RunStatus::Failed, FailureType::OutputSchemaValidationFailed));
    assert_eq!(error.message, "output did not match the schema after 2 retries");
    assert_eq!((error.attempts, data(&run)), (Some(3), None));
    assert_eq!(attempts(&accord, &run.run_id).await.len(), 3);
    accord.end().await;
}

#[tokio::test]
async fn the_coordinator_gives_up_when_an_answer_is_repeated() {
    let script = r#"cat > /dev/null; echo '{"severity": "dire"}'"#;
    let accord = Project::new().agent(&one_shot(script, 5)).up().await;
    let run = accord.run(&ask("one-shot")).await;
    let error = run.error.as_ref().unwrap();
    assert!(error.message.contains("after 1 retry: the model repeated the same answer"), "{}", error.message);
    assert_eq!((run.status, error.attempts, data(&run)), (RunStatus::Failed, Some(2), None));
    accord.end().await;
}

#[tokio::test]
async fn a_program_is_asked_again_in_place_and_resumed_later() {
    let contract = json!({
        "type": "object", "required": ["words", "total"],
        "properties": {"words": {"type": "integer"}, "total": {"type": "integer", "minimum": 10}},
    });
    let agent = json!({
        "name": "counter",
        "executor": {"type": "external", "command": example("word_count.py")},
        "output_schema": contract,
    });
    let accord = Project::new().agent(&agent).up().await;
    let run = accord.run(&ask("counter")).await;
    assert_eq!(run.status, RunStatus::Completed, "{run:?}");
    let first = data(&run).unwrap();
    assert_eq!(
        attempts(&accord, &run.run_id).await.len(),
        2,
        "four words are not ten, the re-prompt has more"
    );
    let resume = CreateRun {
        session_id: Some(run.session_id.clone()),
        prompt: Some("two more".to_owned()),
        ..CreateRun::default()
    };
    let resumed = data(&accord.run(&resume).await).unwrap();
    let total = |value: &Value| value["total"].as_u64().unwrap();
    assert_eq!((total(&resumed), &resumed["words"]), (total(&first) + 2, &json!(2)));
    accord.end().await;
}

#[tokio::test]
async fn a_program_that_cannot_be_re_prompted_gets_a_hint() {
    let mut agent = one_shot("echo x", 1);
    agent["executor"].as_object_mut().unwrap().remove("reprompt");
    let accord = Project::new().agent(&agent).up().await;
    let run = accord.run(&ask("one-shot")).await;
    let error = run.error.unwrap();
    assert_eq!(error.kind, FailureType::ExecutorFailed);
    assert!(error.message.contains("set `reprompt: false`"), "{}", error.message);
    accord.end().await;
}
