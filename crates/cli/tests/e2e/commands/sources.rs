//! The location of an accepted value in the text: visible everywhere, limited by `extract_json`,
//! confirmed by `embedded: confirm`.

use accord_api::attempt::Outcome;
use accord_api::{Attempt, EventBody, RunStatus, RunView, StatsQuery, ValueSource};
use accord_test_support::Reply;
use serde_json::{Value, json};

use super::run;
use crate::external::example;
use crate::support::{Accord, Project, agent, ask, data, model};

const IN_PROSE: &str = r#"I cannot read the file. The format would be {"severity": "low", "count": 3}."#;
const ALONE: &str = r#"{"severity": "high", "count": 1}"#;

fn report() -> Value {
    json!({
        "type": "object",
        "required": ["severity", "count"],
        "additionalProperties": false,
        "properties": {"severity": {"enum": ["low", "high"]}, "count": {"type": "integer"}},
    })
}

fn contracted(options: Value) -> Value {
    let mut options = options;
    options["strategy"] = json!("prompt");
    json!({"output_schema": report(), "output_schema_options": options})
}

async fn attempts(accord: &Accord, run: &RunView) -> Vec<Attempt> {
    accord.client.attempts(&run.run_id).await.unwrap().items
}

async fn outcomes(accord: &Accord, run: &RunView) -> Vec<(Outcome, Option<ValueSource>)> {
    attempts(accord, run).await.iter().map(|attempt| (attempt.outcome, attempt.source)).collect()
}

fn source(run: &RunView) -> Option<ValueSource> {
    run.result.as_ref().unwrap().schema_validation.as_ref().unwrap().source
}

#[tokio::test]
async fn a_value_in_prose_is_accepted_and_marked_everywhere() {
    let model = model([IN_PROSE, ALONE, IN_PROSE].map(Reply::text)).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted(json!({})))).up().await;
    let ran = accord.run(&ask("triage")).await;
    assert_eq!(
        (ran.status, data(&ran)),
        (RunStatus::Completed, Some(json!({"severity": "low", "count": 3})))
    );
    assert_eq!(source(&ran), Some(ValueSource::Prose));
    assert_eq!(outcomes(&accord, &ran).await, [(Outcome::Accepted, Some(ValueSource::Prose))]);
    let judged: Vec<_> = accord
        .events(&ran.run_id)
        .await
        .into_iter()
        .filter_map(|event| match event.body {
            EventBody::AttemptJudged { attempt } => Some(attempt.source),
            _ => None,
        })
        .collect();
    assert_eq!(judged, [Some(ValueSource::Prose)]);
    let result = accord.client.session_result(&ran.session_id).await.unwrap();
    assert_eq!(result.schema_validation.unwrap().source, Some(ValueSource::Prose));

    accord.run(&ask("triage")).await;
    let stats = accord.client.stats(&StatsQuery::default()).await.unwrap();
    let sources = stats.all.sources;
    assert_eq!((sources.structured, sources.text, sources.fence, sources.prose), (0, 1, 0, 1));

    let folder = accord.path();
    let shown = run(folder, &["runs", "show", ran.run_id.as_str()]).await.ends(0, &[]).stdout;
    assert!(shown.contains("conforms after 0 retries, 0 repairs, source: prose"), "{shown}");
    let shown = run(folder, &["runs", "attempts", ran.run_id.as_str()]).await.ends(0, &[]).stdout;
    assert!(shown.contains("attempt 1: accepted") && shown.contains("source: prose"), "{shown}");
    let shown = run(folder, &["stats"]).await.ends(0, &[]).stdout;
    assert!(shown.contains("\nSOURCE      RESULTS\nstructured  0\ntext        1\n"), "{shown}");
    let again = run(folder, &["run", "triage", "Nobody can log in", "--json"]).await.ends(0, &[]);
    assert_eq!(again.text("/schema_validation/source"), "prose");
}

#[tokio::test]
async fn a_contract_that_requires_fences_re_prompts_and_fails() {
    let fenced = format!("```json\n{ALONE}\n```");
    let prose_again = format!("As I said: {IN_PROSE}");
    let model = model([IN_PROSE, &fenced, IN_PROSE, &prose_again].map(Reply::text)).await;
    let options = contracted(json!({"extract_json": ["fence"]}));
    let accord = Project::new().agent(&agent("triage", &model, &options)).up().await;
    let run = accord.run(&ask("triage")).await;
    assert_eq!(
        (data(&run), source(&run)),
        (Some(json!({"severity": "high", "count": 1})), Some(ValueSource::Fence))
    );
    let seen = outcomes(&accord, &run).await;
    assert_eq!(seen, [(Outcome::Embedded, None), (Outcome::Accepted, Some(ValueSource::Fence))]);
    let failed = accord.run(&ask("triage")).await;
    assert_eq!((failed.status, data(&failed)), (RunStatus::Failed, None));
    let error = failed.error.unwrap();
    assert!(error.message.starts_with("output was found where extract_json does not accept it"), "{error:?}");
    let told = "$: expected the value alone or in a code fence, got it in other text";
    assert_eq!(error.validation_errors, [told]);
}

#[tokio::test]
async fn a_value_in_prose_is_confirmed_in_the_same_conversation() {
    let prose_again = format!("As I said: {IN_PROSE}");
    let model = model([IN_PROSE, ALONE, IN_PROSE, &prose_again].map(Reply::text)).await;
    let options = contracted(json!({"embedded": "confirm"}));
    let accord = Project::new().agent(&agent("triage", &model, &options)).up().await;
    let run = accord.run(&ask("triage")).await;
    assert_eq!(data(&run), Some(json!({"severity": "high", "count": 1})), "only the second answer is judged");
    let seen = outcomes(&accord, &run).await;
    assert_eq!(seen, [(Outcome::Unconfirmed, None), (Outcome::Accepted, Some(ValueSource::Text))]);
    let requests = model.requests();
    let again = &requests[1];
    assert_eq!(again.body["messages"].as_array().unwrap().len(), 3, "question, answer, confirmation");
    assert!(again.last_text().contains("\"severity\": \"low\""), "{}", again.last_text());
    let failed = accord.run(&ask("triage")).await;
    assert_eq!((failed.status, data(&failed)), (RunStatus::Failed, None));
    assert!(
        failed.error.unwrap().message.starts_with("output was found in other text and was not confirmed")
    );
}

#[tokio::test]
async fn a_caller_asks_for_confirmation_on_the_command_line() {
    let model = model([IN_PROSE, ALONE].map(Reply::text)).await;
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    std::fs::write(project.path().join("report.json"), report().to_string()).unwrap();
    let accord = project.up().await;
    let arguments = [
        "run",
        "free",
        "x",
        "--schema",
        "report.json",
        "--strategy",
        "prompt",
        "--embedded",
        "confirm",
        "--extract",
        "prose",
        "--json",
    ];
    let ran = run(accord.path(), &arguments).await.ends(0, &[]);
    assert_eq!(ran.text("/schema_validation/source"), "text");
    assert_eq!(ran.json()["attempts"], 2);
    run(accord.path(), &["run", "free", "x", "--schema", "report.json", "--extract", "table"])
        .await
        .ends(1, &["expected 'fence' or 'prose', got 'table'"]);
}

/// A program without memory is re-prompted by the coordinator.
#[tokio::test]
async fn an_external_program_confirms_its_value() {
    let script = r#"if grep -q 'inside other text'; then echo '{"severity": "low", "count": 3}'; \
                    else echo 'It is {"severity": "low", "count": 3}.'; fi"#;
    let blueprint = json!({
        "name": "one-shot",
        "executor": {
            "type": "external", "command": example("wrap.sh"), "args": ["sh", "-c", script], "reprompt": false,
        },
        "output_schema": report(),
        "output_schema_options": {"embedded": "confirm"},
    });
    let accord = Project::new().agent(&blueprint).up().await;
    let run = accord.run(&ask("one-shot")).await;
    assert_eq!((run.status, source(&run)), (RunStatus::Completed, Some(ValueSource::Text)), "{run:?}");
    let seen = outcomes(&accord, &run).await;
    assert_eq!(seen, [(Outcome::Unconfirmed, None), (Outcome::Accepted, Some(ValueSource::Text))]);
}
