//! The templates of `accord init` as a user gets them: all files are valid, and every recording
//! still matches.

use serde_json::{Value, json};

use crate::support::Folder;

pub(crate) const TEMPLATES: [&str; 3] = ["start", "code-review", "team"];

pub(crate) fn init(template: &str) -> Folder {
    let folder = Folder::with(&[]);
    let ran = folder.run(&["init", "--template", template], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    folder
}

#[test]
fn everything_in_a_template_can_be_used() {
    for template in TEMPLATES {
        let folder = init(template);
        let agents = folder.run(&["agents", "validate", "--deny-warnings"], "");
        assert_eq!(agents.code, Some(0), "{template}: {agents:?}");
        if folder.path().join(".accord/workflows").exists() {
            let workflows = folder.run(&["workflow", "validate", "--deny-warnings"], "");
            assert_eq!(workflows.code, Some(0), "{template}: {workflows:?}");
        }
    }
}

/// A recording only answers its own input; the error for another input says so, with what to do.
#[test]
fn a_replayed_agent_shows_the_recorded_input() {
    let folder = init("start");
    let ran = folder.run(&["run", "ticket-triage", "--recorded"], "");
    assert_eq!((ran.code, ran.json()["category"].clone()), (Some(0), json!("outage")), "{ran:?}");
    for (agent, file) in [("ticket-triage", "ticket.json"), ("release-notes", "release.json")] {
        let input = std::fs::read_to_string(folder.path().join(".accord/inputs").join(file)).unwrap();
        let input: Value = serde_json::from_str(&input).unwrap();
        let shown = folder.run(&["agents", "show", agent, "--json"], "").json();
        assert_eq!(
            shown["blueprint"]["parameters_schema"]["examples"],
            json!([input]),
            "the dashboard offers it"
        );
    }
    let ran = folder.run(&["run", "ticket-triage", "--param", "ticket=mine"], "");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    for words in ["plays a recording, which has no answer for this input", "accord run AGENT --recorded"] {
        assert!(ran.stderr.contains(words), "{ran:?}");
    }
    let ran = folder.run(&["run", "word-count", "--recorded"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("agent 'word-count' plays no recording"), "{ran:?}");
}

#[test]
fn agents_use_the_chosen_model() {
    for template in TEMPLATES {
        for model in ["anthropic", "openai/m", "ollama/llama3.2:1b", "llama.cpp", "claude-code", "codex"] {
            let folder = Folder::with(&[]);
            let ran = folder.run(&["init", "--template", template, "--model", model], "");
            assert_eq!(ran.code, Some(0), "{ran:?}");
            assert!(!folder.path().join(".accord/cassettes").exists(), "{template} {model}");
            let agents = folder.run(&["agents", "validate"], "");
            assert_eq!(agents.code, Some(0), "{template} {model}: {agents:?}");
            let listed = folder.run(&["agents", "list", "--json"], "").stdout;
            assert!(!listed.contains("\"replay\""), "{template} {model}: {listed}");
        }
    }
}

#[test]
fn the_help_lists_the_templates() {
    let help = Folder::with(&[]).run(&["init", "--help"], "").stdout;
    for template in TEMPLATES {
        assert!(help.contains(&format!("- {template}:")), "{help}");
    }
}

/// Two mistakes that no model notices, with recorded models: specialists contradict each other a
/// few lines apart, and the writer hides it.
#[test]
fn the_code_review_surfaces_contradictions_and_the_writer_cannot_hide_them() {
    let folder = init("code-review");
    let ran = folder
        .run(&["workflow", "run", "code-review", "--input", ".accord/inputs/change.json", "--json"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let run = ran.json();
    assert_eq!(run["output"]["counts"], json!({"blocker": 2, "major": 0, "minor": 1, "nit": 1}));
    assert_eq!(run["output"]["missing"], json!([]));
    let nodes = run["nodes"].as_array().unwrap();
    let writer = nodes.iter().find(|node| node["id"] == "writer").unwrap();
    let contradictions = writer["contradictions"].as_array().unwrap();
    let at = |each: &Value| (each["kind"].clone(), each["key"]["line"].clone());
    assert_eq!(
        contradictions.iter().map(at).collect::<Vec<_>>(),
        [(json!("flagged_and_cleared"), json!(11)), (json!("different_values"), json!(15))]
    );
    assert_eq!(run["output"]["disputes"].as_array().map(Vec::len), Some(contradictions.len()));

    // A recording is played in order, so the review above is the second answer.
    let cassette = std::fs::read_to_string(folder.path().join(".accord/cassettes/writer.json")).unwrap();
    let cassette: Value = serde_json::from_str(&cassette).unwrap();
    let outcomes: Vec<&Value> =
        cassette["attempts"].as_array().unwrap().iter().map(|attempt| &attempt["outcome"]).collect();
    assert_eq!(outcomes, ["invariant_failed", "accepted"]);
}

#[test]
fn the_printed_next_steps_run_the_starter_workflow() {
    let folder = Folder::with(&[]);
    let ran = folder.run(&["init"], "");
    let step = "accord workflows run ticket-intake --input .accord/inputs/ticket.json";
    assert!(ran.stderr.contains(step), "{}", ran.stderr);
    let arguments: Vec<&str> = step.split(' ').skip(1).collect();
    let ran = folder.run(&arguments, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let output = ran.json();
    assert_eq!(
        (&output["urgency"], &output["category"], &output["words"]),
        (&json!("high"), &json!("outage"), &json!(15)),
        "{output}"
    );
}

#[test]
fn the_team_answers_from_its_recordings() {
    let folder = init("team");
    for (agent, member) in [
        ("researcher", "findings"),
        ("implementer", "filesModified"),
        ("reviewer", "issues"),
        ("tester", "testsCreated"),
    ] {
        let task =
            std::fs::read_to_string(folder.path().join(format!(".accord/inputs/{agent}.txt"))).unwrap();
        let ran = folder.run(&["run", agent, "-"], task);
        assert_eq!(ran.code, Some(0), "{agent}: {ran:?}");
        assert!(ran.json()[member].is_array(), "{agent}: {ran:?}");
    }
}

/// As a workflow, and as one command without a workflow file: the planner gets the same prompt
/// either way.
#[test]
fn the_team_carries_out_a_plan() {
    let folder = init("team");
    let task = std::fs::read_to_string(folder.path().join(".accord/inputs/task.txt")).unwrap();
    let workflow = folder.run(&["workflow", "run", "team", "--input", ".accord/inputs/task.json"], "");
    let command = folder.run(&["run", "--task", "-", "--planner", "orchestrator"], task);
    for ran in [&workflow, &command] {
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let results = ran.json()["results"].as_object().unwrap().clone();
        assert_eq!(
            results.keys().collect::<Vec<_>>(),
            ["research", "implement", "review", "test"],
            "{ran:?}"
        );
    }
    let listed = folder.run(&["workflow", "list", "--json"], "").stdout;
    assert!(!listed.contains("task-"), "nothing is left behind: {listed}");
}

#[test]
fn a_task_without_a_model_says_what_is_missing() {
    let folder = init("team");
    let ran = folder.run(&["run", "--task", "Do it"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stderr.contains("the planner needs a model") && ran.stderr.contains("--model PROVIDER/MODEL"),
        "{ran:?}"
    );
    let folder = init("start");
    let ran = folder.run(&["run", "--task", "Do it", "--agents", "word-count"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("does not accept a prompt"), "{ran:?}");
    assert_eq!(folder.run(&["run"], "").code, Some(1));
}

#[test]
fn a_prompt_is_shown_without_a_key_and_nothing_is_stored() {
    let folder = init("start");
    let ran = folder.run(&["prompt", "ticket-triage", "--param", "ticket=Nobody can log in"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for words in
        ["model claude-sonnet-4-6", "You sort support tickets", "<low | medium | high>", "Nobody can log in"]
    {
        assert!(ran.stdout.contains(words), "no '{words}' in {}", ran.stdout);
    }
    assert!(!folder.path().join(".accord/accord.db").exists());
    let ran = folder.run(&["prompt", "word-count", "--param", "text=x"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("its executor is process"), "{ran:?}");
    // Other options than those of the agent can be tried.
    let ran = folder.run(&["prompt", "ticket-triage", "--param", "ticket=x", "--strategy", "prompt"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stdout.contains("strategy prompt") && ran.stdout.contains("--- example: user ---"),
        "{ran:?}"
    );
}

/// The examples in the help and in the client guide work in the project that `accord init` writes.
#[test]
fn the_examples_of_help_run_on_a_new_project() {
    let folder = init("start");
    let help = folder.run(&["run", "--help"], "").stdout;
    let input = std::fs::read_to_string(folder.path().join(".accord/inputs/ticket.json")).unwrap();
    let ticket = serde_json::from_str::<Value>(&input).unwrap()["ticket"].as_str().unwrap().to_owned();
    for arguments in [
        &["run", "word-count", "--param", "text=\"one two three\""][..],
        &["run", "ticket-triage", "--params", ".accord/inputs/ticket.json"],
    ] {
        assert!(help.contains(&format!("  accord {}\n", arguments.join(" "))), "{arguments:?}: {help}");
        let ran = folder.run(arguments, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    for text in [
        include_str!("../../../client/examples/typed_result.rs"),
        include_str!("../../../../docs/guides/rust-client.md"),
    ] {
        assert!(text.contains(&format!("\"{ticket}\"")), "the recorded model knows this ticket only: {text}");
    }
    let record = ["record", "ticket-triage", "--param", "ticket=x", "--output", "new.json"];
    let ran = folder.run(&record, "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("\"model\":\"claude-sonnet-4-6\""), "{ran:?}");
}
