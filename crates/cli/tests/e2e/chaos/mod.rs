//! A model that misbehaves in every known way: a value that does not conform is never visible, no
//! run hangs, and no run exceeds its attempts.

mod enforcing;
mod places;
mod truth;

use accord_contract::Meter;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use accord_api::attempt::Outcome;
use accord_api::{CreateRun, ExecutionMode, RunView, Strategy, contract};
use accord_client::ClientError;
use accord_contract::Schema;
use accord_test_support::{ChaosModel, Deed, Misbehaviour, ModelServer, Random, Reply, Script, seed};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value, json};

use crate::support::{Accord, Project, agent, ask};
use places::Places;

/// Number of runs. Set `CHAOS_RUNS` for more.
const RUNS: u32 = 200;

/// The first runs in which every misbehaviour occurs, and what follows from it. `make soak` takes as many.
const ALL_RUNS: u32 = 1000;

/// Number of concurrent requests.
const AT_ONCE: usize = 64;

/// One run in this many is a child of the parent. It is coprime to the periods in `request`, so
/// that children cover all variants.
const CHILDREN: u32 = 11;

/// Time allowed for everything that follows the last run.
const PATIENCE: Duration = Duration::from_secs(120);

/// The longest that a request may wait, in seconds.
const LONGEST_WAIT: u32 = 300;

const MAX_RETRIES: u32 = 2;

const WIRES: [&str; 5] = ["anthropic", "openai", "openai-chat", "openai-compatible", "ollama"];

const STRATEGIES: [Strategy; 4] = [Strategy::Auto, Strategy::Native, Strategy::Tool, Strategy::Prompt];

const MODES: [contract::ValidationMode; 2] =
    [contract::ValidationMode::Strict, contract::ValidationMode::Lenient];

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["severity", "tags", "note"],
        "additionalProperties": false,
        "properties": {
            "severity": {"type": "string", "enum": ["low", "medium", "high"]},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "note": {"type": "string"},
        },
    })
}

/// A good answer. Two of them usually differ, so that a model can give two conforming answers at
/// once.
fn good(random: &mut Random) -> Value {
    let severity = random.pick(&["low", "medium", "high"]);
    json!({"severity": severity, "tags": ["a", "ünï 🎉"], "note": format!("note {}", random.below(1000))})
}

/// One agent for each provider protocol.
fn agents(model: &ModelServer) -> Vec<Value> {
    let one = |provider: &str| {
        let base_url =
            if provider.starts_with("openai") { model.openai_url() } else { model.url().to_owned() };
        let executor = json!({"type": "llm", "provider": provider, "model": "chaos", "base_url": base_url});
        agent(provider, model, &json!({"executor": executor}))
    };
    WIRES.map(one).to_vec()
}

/// Every protocol with every strategy in every mode, in turn.
fn request(number: u32) -> CreateRun {
    let mut rest = number as usize;
    let mut pick = |count: usize| {
        let at = rest % count;
        rest /= count;
        at
    };
    let (wire, strategy, mode) = (pick(WIRES.len()), pick(STRATEGIES.len()), pick(MODES.len()));
    let options = contract::Options {
        max_retries: Some(MAX_RETRIES),
        strategy: STRATEGIES.get(strategy).copied(),
        validation_mode: MODES.get(mode).copied(),
        ..contract::Options::default()
    };
    CreateRun {
        agent_name: WIRES.get(wire).map(|&wire| wire.to_owned()),
        prompt: Some(format!("seed-{number}: sort this")),
        output_schema: Some(schema()),
        output_schema_options: Some(options),
        ..CreateRun::default()
    }
}

fn is_child(number: u32) -> bool {
    number.is_multiple_of(CHILDREN)
}

/// The numbers of the runs, which are their seeds. Each commit takes others, and `CHAOS_SEED` repeats those of a failure; if the
/// variable sets a number, they are the first ones.
fn numbers(variable: &str, usual: u32) -> Range<u32> {
    if let Some(count) = std::env::var(variable).ok().and_then(|text| text.parse().ok()) {
        return 0..count;
    }
    let seed = seed("CHAOS_SEED");
    println!("CHAOS_SEED={seed}");
    let first = u32::try_from(seed % 1_000_000).unwrap();
    first..first + usual
}

#[tokio::test]
async fn a_nonconforming_value_is_never_visible() {
    let numbers = numbers("CHAOS_RUNS", RUNS);
    let runs = numbers.end - numbers.start;
    let chaos = ChaosModel::generating(7, schema(), |_, random| good(random));
    let model = ModelServer::start(chaos.clone()).await.unwrap();
    let parent_model = ModelServer::start(Script::handler(|_, _| Reply::text("noted"))).await.unwrap();
    let mut project = Project::new().agent(&agent("parent", &parent_model, &json!({})));
    for agent in agents(&model) {
        project = project.agent(&agent);
    }
    let accord = project.set("ACCORD_RUNNER__CONCURRENCY", "64").up().await;
    let schema = Schema::compile(&schema(), &Meter::default()).unwrap();
    let places = Places { accord: &accord, schema: &schema, max_retries: MAX_RETRIES };

    let results = all_runs(&accord, numbers).await.unwrap();
    let children: BTreeSet<String> = results
        .iter()
        .filter(|(number, _)| is_child(*number))
        .map(|(_, run)| run.session_id.to_string())
        .collect();
    let told = tokio::time::timeout(PATIENCE, places.told_to_the_parent(&parent_model, &children)).await;
    assert!(told.is_ok(), "the parent has not heard of all its children");
    let quiet = tokio::time::timeout(PATIENCE, places.nothing_is_left()).await;
    assert!(quiet.is_ok(), "runs are left unfinished");

    let deeds = chaos.all_deeds();
    let looked = stream::iter(&results).map(|(number, run)| {
        let deeds = deeds.get(&format!("seed-{number}")).map(Vec::as_slice).unwrap_or_default();
        let places = &places;
        async move {
            let outcomes = places.look_at(*number, run, &format!("run {number} {deeds:?}")).await;
            (deeds, outcomes)
        }
    });
    let looked: Vec<(&[Deed], Vec<Outcome>)> = looked.buffer_unordered(AT_ONCE).collect().await;
    let listed = places.in_lists().await;
    assert_eq!(listed.len(), results.len() + places.runs_of("parent").await, "a run is missing in the list");
    places.in_the_stream(&listed).await;

    let mut ends = BTreeMap::<&str, u32>::new();
    for (_, run) in &results {
        *ends.entry(run.error.as_ref().map_or("completed", |error| error.kind.as_str())).or_default() += 1;
    }
    assert!(ends.get("completed").is_some_and(|count| *count > runs / 20), "{ends:?}");
    assert!(ends.contains_key("schema_validation_failed"), "{ends:?}");
    if runs < ALL_RUNS {
        let met = misbehaviours(&looked).len();
        assert!(met * 4 > Misbehaviour::ALL.len() * 3, "only {met} misbehaviours were met");
    } else {
        everything_was_met(&looked);
    }
}

/// Creates the runs, some of them children with a callback to their parent.
async fn all_runs(accord: &Accord, numbers: Range<u32>) -> Result<Vec<(u32, RunView)>, ClientError> {
    let parent = accord.run(&ask("parent")).await.session_id;
    let runs = stream::iter(numbers).map(|number| {
        let mut request = request(number);
        if is_child(number) {
            request.parent_session_id = Some(parent.clone());
            request.execution_mode = Some(ExecutionMode::AsyncCallback);
        }
        async move {
            let run = accord.client.create_run_and_wait(&request, LONGEST_WAIT, None).await?;
            // On a busy machine, reading an endless stream takes minutes.
            let run = if run.status.is_over() {
                run
            } else {
                accord.client.wait_for_run(&run.run_id, LONGEST_WAIT).await?
            };
            Ok((number, run))
        }
    });
    runs.buffer_unordered(AT_ONCE).try_collect().await
}

fn misbehaviours(looked: &[(&[Deed], Vec<Outcome>)]) -> BTreeSet<Misbehaviour> {
    looked.iter().flat_map(|(deeds, _)| *deeds).filter_map(|deed| deed.misbehaviour).collect()
}

/// Checks that the test covered everything: the model showed every misbehaviour, two good answers
/// in one text were reported as ambiguous, and odd but conforming answers were accepted.
fn everything_was_met(looked: &[(&[Deed], Vec<Outcome>)]) {
    use Misbehaviour as M;
    assert_eq!(misbehaviours(looked), M::ALL.iter().copied().collect());

    // The misbehaviour at the first request determines the first attempt.
    let mut firsts = BTreeMap::<Misbehaviour, BTreeSet<&str>>::new();
    for (deeds, outcomes) in looked {
        let met = deeds.first().and_then(|deed| deed.misbehaviour).zip(outcomes.first());
        if let Some((misbehaviour, outcome)) = met {
            firsts.entry(misbehaviour).or_default().insert(outcome.as_str());
        }
    }
    let expected = [
        (M::TwoAnswers, Outcome::Ambiguous),
        (M::SubmitTwice, Outcome::Ambiguous),
        (M::FenceInString, Outcome::Accepted),
        (M::NulBytes, Outcome::Accepted),
        (M::Emoji, Outcome::Accepted),
    ];
    for (misbehaviour, outcome) in expected {
        let met = firsts.get(&misbehaviour);
        assert!(met.is_some_and(|met| met.contains(outcome.as_str())), "{misbehaviour}: {met:?}");
    }
}
