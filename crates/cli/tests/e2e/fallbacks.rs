//! Fallback models of other providers, and tiers.

use accord_api::attempt::Outcome;
use accord_api::{RunStatus, StatsQuery};
use accord_test_support::{ModelServer, Reply, Script};
use serde_json::{Value, json};

use crate::support::{Accord, Project, accord, agent, ask, data, model, severity};

const GOOD: &str = r#"{"severity": "low"}"#;

/// An agent on `openai-chat`, with a fallback model on Ollama.
fn blueprint(first: &ModelServer, second: &ModelServer) -> Value {
    let base_url = first.openai_url();
    agent(
        "triage",
        first,
        &json!({
            "executor": {"type": "llm", "provider": "openai-chat", "model": "small", "base_url": base_url},
            "escalate_to": [{"provider": "ollama", "model": "large", "base_url": second.url()}],
            "output_schema": severity(),
        }),
    )
}

async fn told(accord: &Accord) -> Vec<(String, Outcome)> {
    let run = accord.run(&ask("triage")).await;
    assert_eq!(run.status, RunStatus::Completed, "{:?}", run.error);
    assert_eq!(data(&run), Some(json!({"severity": "low"})));
    let attempts = accord.client.attempts(&run.run_id).await.unwrap().items;
    let told = |attempt: accord_api::Attempt| {
        let provider = attempt.endpoint.split(' ').next().unwrap_or_default();
        (format!("{provider} {}", attempt.model), attempt.outcome)
    };
    attempts.into_iter().map(told).collect()
}

#[tokio::test]
async fn a_refusal_and_a_rejected_key_go_to_another_provider() {
    let failures = [
        (Reply::refusal("I will not."), Outcome::Refused),
        (Reply::error(401, "no such key"), Outcome::Failed),
        (Reply::error(404, "no such model"), Outcome::Failed),
    ];
    for (failure, outcome) in failures {
        let (first, second) = (model([failure]).await, model([Reply::text(GOOD)]).await);
        let accord = Project::new().agent(&blueprint(&first, &second)).up().await;
        let attempts = told(&accord).await;
        assert_eq!(
            attempts.iter().map(|(_, outcome)| *outcome).collect::<Vec<_>>(),
            [outcome, Outcome::Accepted]
        );
        assert!(
            attempts[0].0.starts_with("openai-chat") && attempts[1].0.starts_with("ollama"),
            "{attempts:?}"
        );
        assert!(second.requests()[0].text().contains("Nobody can log in"));
        let figures = accord.client.stats(&StatsQuery::default()).await.unwrap().by_model;
        let figures: Vec<_> =
            figures.iter().map(|row| (row.runs, row.attempts, row.completed, row.failed)).collect();
        assert_eq!(figures.len(), 2, "each model has its share: {figures:?}");
        assert!(figures.contains(&(1, 1, 1, 0)) && figures.contains(&(1, 1, 0, 1)), "{figures:?}");
    }
}

#[tokio::test]
async fn an_unavailable_provider_is_left_after_its_retry_time() {
    let away = ModelServer::start(Script::handler(|_, _| Reply::error(503, "overloaded"))).await.unwrap();
    let second = model([Reply::text(GOOD)]).await;
    let mut blueprint = blueprint(&away, &second);
    blueprint["retry"] = json!({"for_seconds": 0});
    let accord = Project::new().agent(&blueprint).up().await;
    let outcomes: Vec<_> = told(&accord).await.into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, [Outcome::Transport, Outcome::Accepted]);
}

#[tokio::test]
async fn answers_that_do_not_conform_go_to_another_provider() {
    let (first, second) = (model([Reply::text("Hm.")]).await, model([Reply::text(GOOD)]).await);
    let accord = Project::new().agent(&blueprint(&first, &second)).up().await;
    let outcomes: Vec<_> = told(&accord).await.into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, [Outcome::NoJson, Outcome::Accepted]);
    let conversation = second.requests()[0].text();
    assert!(conversation.contains("Hm."), "it goes on with the conversation: {conversation}");
}

#[tokio::test]
async fn a_tier_selects_the_configured_model() {
    let (small, large) = (model([Reply::refusal("No.")]).await, model([Reply::text(GOOD)]).await);
    let tier = |name: &str| json!({"provider": "tier", "model": name});
    let executor = json!({"type": "llm", "provider": "tier", "model": "small"});
    let extra = json!({"executor": executor, "escalate_to": [tier("large")], "output_schema": severity()});
    let unknown = json!({"executor": {"type": "llm", "provider": "tier", "model": "huge"}});
    let project =
        Project::new().agent(&agent("triage", &small, &extra)).agent(&agent("other", &small, &unknown));
    let tier = |name: &str, provider: &str, url: &str| {
        format!("[tiers.{name}]\nprovider = \"{provider}\"\nmodel = \"{name}-model\"\nbase_url = \"{url}\"\n")
    };
    let tiers = tier("small", "openai-chat", &small.openai_url()) + &tier("large", "ollama", &large.url());
    std::fs::write(project.path().join("accord.toml"), tiers).unwrap();
    let accord = project.up().await;
    let attempts = told(&accord).await;
    assert_eq!(
        attempts.iter().map(|(_, outcome)| *outcome).collect::<Vec<_>>(),
        [Outcome::Refused, Outcome::Accepted]
    );
    assert_eq!(small.requests()[0].model(), "small-model");
    assert_eq!(large.requests()[0].model(), "large-model");

    let error = accord.client.create_run(&ask("other"), None).await.unwrap_err().to_string();
    assert!(error.contains("tier 'huge' is not configured (configured: large, small)"), "{error}");
}

#[tokio::test]
async fn a_recording_of_two_providers_can_be_replayed() {
    let (first, second) = (model([Reply::refusal("No.")]).await, model([Reply::text(GOOD)]).await);
    let project = Project::new().agent(&blueprint(&first, &second));
    let command = async |arguments: &[&str]| {
        let output = accord(project.path()).args(arguments).output().await.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    command(&["record", "triage", "--param", "prompt=Sort this", "--output", "run.json"]).await;
    let replayed = command(&["replay", "run.json"]).await;
    assert!(replayed.contains("low"), "{replayed}");
}
