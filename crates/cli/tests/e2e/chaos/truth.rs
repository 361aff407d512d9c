//! A result accepted in lenient mode is what the model meant: each task has one right answer, and a
//! run returns that one or a clear failure, however damaged the model's output is.

use accord_api::contract::ValidationMode;
use accord_api::{RunStatus, RunView};
use accord_test_support::{ChaosModel, Misbehaviour, ModelServer, Random, RecordedRequest};
use serde_json::{Value, json};

use super::{AT_ONCE, LONGEST_WAIT, agents, numbers, request, schema};
use crate::support::Project;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

/// Tasks at each level. Set `CHAOS_TASKS` for more.
const TASKS: u32 = 40;

/// Percentage of good answers, and the percentage of tasks that must succeed with it.
const LEVELS: [(&str, u8, u32); 2] = [("mild", 70, 60), ("harsh", 20, 20)];

/// The right answer to a task, determined by its number.
fn truth(number: u64) -> Value {
    let mut random = Random::keyed(&[number]);
    let severity = random.pick(&["low", "medium", "high"]);
    json!({"severity": severity, "tags": [format!("task \"{number}\""), "a, b"], "note": format!("{number} {{is}} it")})
}

fn asked(request: &RecordedRequest) -> u64 {
    let text = request.text();
    let digits = text.split("seed-").nth(1).unwrap_or_default();
    let end = digits.find(|each: char| !each.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end).and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

#[tokio::test]
async fn a_lenient_result_is_what_the_model_meant() {
    let numbers = numbers("CHAOS_TASKS", TASKS);
    let tasks = numbers.end - numbers.start;
    for (level, good, least) in LEVELS {
        let chaos = ChaosModel::generating(u64::from(good), schema(), |request, _| truth(asked(request)))
            .good_percent(good)
            // These put other texts into the answer, which would then be wrong.
            .weight(Misbehaviour::Emoji, 0)
            .weight(Misbehaviour::LoneSurrogate, 0)
            .weight(Misbehaviour::NulBytes, 0)
            .weight(Misbehaviour::FenceInString, 0);
        let model = ModelServer::start(chaos).await.unwrap();
        let project = agents(&model).iter().fold(Project::new(), |project, agent| project.agent(agent));
        let accord = project.set("ACCORD_RUNNER__CONCURRENCY", "64").up().await;
        let runs = stream::iter(numbers.clone()).map(|number| {
            let mut request = request(number);
            if let Some(options) = &mut request.output_schema_options {
                options.validation_mode = Some(ValidationMode::Lenient);
            }
            let client = &accord.client;
            async move {
                let run = client.create_run_and_wait(&request, LONGEST_WAIT, None).await?;
                let run = if run.status.is_over() {
                    run
                } else {
                    client.wait_for_run(&run.run_id, LONGEST_WAIT).await?
                };
                Ok::<_, accord_client::ClientError>((number, run))
            }
        });
        let runs: Vec<(u32, RunView)> = runs.buffer_unordered(AT_ONCE).try_collect().await.unwrap();
        let mut right = 0;
        for (number, run) in &runs {
            let context = format!("{level}, task {number}, {}", run.run_id);
            match run.status {
                RunStatus::Completed => {
                    let value: Value = run.result.as_ref().expect(&context).data().expect(&context);
                    assert_eq!(value, truth(u64::from(*number)), "{context}");
                    right += 1;
                }
                RunStatus::Failed => assert!(run.error.is_some(), "{context}"),
                other => panic!("{context} is {other:?}"),
            }
        }
        println!("{level}: {right} of {tasks} right, 0 wrong, {} clear failures", tasks - right);
        assert!(right * 100 > tasks * least, "{level}: {right} of {tasks}");
        accord.end().await;
    }
}
