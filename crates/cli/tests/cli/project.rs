//! Commands that need no coordinator: `init`, agents, keys, and `doctor`.

use serde_json::{Value, json};

use crate::support::{Folder, Ran};

fn init() -> Folder {
    let folder = Folder::with(&[]);
    let ran = folder.run(&["init"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    folder
}

/// Runs `doctor` without the machine's API keys and with an empty search path.
fn doctor(folder: &Folder, arguments: &[&str]) -> Ran {
    let empty = [("ANTHROPIC_API_KEY", ""), ("OPENAI_API_KEY", ""), ("PATH", "")];
    folder.run_with(&[&["doctor"], arguments].concat(), "", &empty)
}

#[test]
fn a_file_instead_of_the_folder_is_an_error() {
    let folder = Folder::with(&[]);
    folder.write(".accord", b"");
    let ran = folder.run(&["init", "--force"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    assert!(ran.stderr.contains(".accord exists and is not a folder"), "{ran:?}");
}

#[test]
fn a_project_is_written_once() {
    let folder = Folder::with(&[]);
    let ran = folder.run(&["init"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.starts_with("\nThe agents play recorded answers: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("\n\nNext:\n  accord agents list\n"), "{}", ran.stderr);
    let files: Vec<&str> = ran.stdout.lines().collect();
    assert!(files.contains(&".accord/.gitignore") && files.contains(&".accord/config.toml"), "{files:?}");
    assert!(files.iter().all(|file| folder.path().join(file).is_file()), "{files:?}");

    folder.write(".accord/config.toml", b"# mine\n");
    let again = folder.run(&["init"], "");
    assert_eq!((again.code, again.stdout.as_str()), (Some(1), ""));
    assert!(
        again.stderr.contains("nothing written: .accord already exists (")
            && again.stderr.contains("--force"),
        "{again:?}"
    );
    let config = || std::fs::read_to_string(folder.path().join(".accord/config.toml")).unwrap();
    assert_eq!(config(), "# mine\n");
    let forced = folder.run(&["init", "--force"], "");
    assert_eq!(forced.code, Some(0), "{forced:?}");
    assert!(forced.stdout.contains(".accord/config.toml: kept: you changed it\n"), "{forced:?}");
    assert!(forced.stdout.contains("word-count/agent.yaml: unchanged\n"), "{forced:?}");
    assert_eq!(config(), "# mine\n");
}

/// From recordings to a model and to another one, with an agent, a schema and settings that the user changed.
#[test]
fn choosing_a_model_keeps_what_was_changed() {
    let folder = init();
    let read = |path: &str| std::fs::read_to_string(folder.path().join(".accord").join(path)).unwrap();
    let edit = |path: &str, from: &str, to: &str| {
        let text = read(path);
        assert!(text.contains(from), "{path}: {text}");
        folder.write(&format!(".accord/{path}"), text.replace(from, to).as_bytes());
    };
    let triage = "agents/ticket-triage/agent.yaml";
    edit(triage, "name: ticket-triage", "# mine\nname: ticket-triage");
    edit("schemas/task.schema.json", "{", "{ ");
    edit("config.toml", "# concurrency = 8", "concurrency = 3");
    let (schema, config) = (read("schemas/task.schema.json"), read("config.toml"));
    let edited = read(triage);

    let ran = folder.run(&["init", "--model", "openai/m", "--json"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let report = ran.json();
    let action = |file: &str| {
        let changes = report["changes"].as_array().unwrap().iter();
        let found = changes.filter(|change| change["file"].as_str().unwrap().ends_with(file));
        found.map(|change| (change["action"].clone(), change["backup"].clone())).collect::<Vec<_>>()
    };
    let backup = json!(".accord/agents/ticket-triage/agent.yaml.bak");
    assert_eq!(action(triage), [(json!("merged"), backup)]);
    assert_eq!(action("release-notes/agent.yaml"), [(json!("updated"), Value::Null)]);
    assert_eq!(action("word-count/agent.yaml"), [(json!("unchanged"), Value::Null)]);
    assert_eq!(action("task.schema.json"), [(json!("kept"), Value::Null)]);
    assert_eq!(action("config.toml"), [(json!("kept"), Value::Null)]);
    assert_eq!(read(&format!("{triage}.bak")), edited);
    let live = read(triage);
    assert!(live.contains("# mine\nname: ticket-triage") && live.contains("provider: openai"), "{live}");
    assert_eq!((read("schemas/task.schema.json"), read("config.toml")), (schema.clone(), config.clone()));
    assert_eq!(folder.run(&["agents", "validate"], "").code, Some(0));

    // An agent with a model of the user's keeps it; --force replaces it and leaves a second backup.
    let ran = folder.run(&["init", "--model", "anthropic"], "");
    assert!(ran.stdout.contains("ticket-triage/agent.yaml: kept: you changed it\n"), "{ran:?}");
    assert!(ran.stdout.contains("release-notes/agent.yaml: model changed\n"), "{ran:?}");
    assert_eq!(read(triage), live);
    let ran = folder.run(&["init", "--model", "anthropic", "--force"], "");
    let said = "ticket-triage/agent.yaml: replaced by the example; backup: agent.yaml.bak2\n";
    assert!(ran.stdout.contains(said), "{ran:?}");
    assert_eq!(read(&format!("{triage}.bak2")), live);
    assert_eq!(read("schemas/task.schema.json.bak"), schema);
    assert_eq!(read("config.toml"), config);
}

#[test]
fn a_project_can_be_written_elsewhere() {
    let folder = Folder::with(&[]);
    let ran = folder.run(&["init", "--dir", "a/b", "--json"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let written = ran.json();
    assert_eq!(written["dir"], json!("a/b"));
    assert!(folder.path().join("a/b/.accord/agents/word-count/agent.yaml").is_file());
    assert_eq!(folder.run(&["agents", "validate", "--dir", "a/b"], "").code, Some(0));
}

#[test]
fn existing_settings_are_left_alone() {
    let folder = Folder::with(&[("accord.toml", "[queue]\nlease_seconds = 7\n")]);
    for arguments in [&["init", "--json"][..], &["init", "--force", "--json"]] {
        let ran = folder.run(arguments, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let files = ran.json()["files"].clone();
        let files: Vec<&str> = files.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(files.contains(&".accord/.gitignore"), "{files:?}");
        assert!(!files.contains(&".accord/config.toml"), "{files:?}");
    }
    let report = doctor(&folder, &["--json"]).json();
    let settings = report["settings"].as_array().unwrap();
    let lease = settings.iter().find(|setting| setting["key"] == "queue.lease_seconds").unwrap();
    assert_eq!(lease["value"], json!("7"));
}

#[test]
fn a_file_is_not_a_project() {
    let folder = Folder::with(&[("some.txt", "")]);
    for arguments in [&["agents", "list"][..], &["runs", "list"], &["doctor"]] {
        let ran = folder.run(&[arguments, &["--dir", "some.txt"]].concat(), "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
        assert!(ran.stderr.contains("some.txt: it is not a folder"), "{ran:?}");
    }
}

#[test]
fn lists_outside_a_project_say_so() {
    let folder = Folder::with(&[]);
    for arguments in [
        &["runs", "list"][..],
        &["sessions", "list"],
        &["stats"],
        &["agents", "list"],
        &["agents", "show", "triage"],
        &["workflow", "list"],
        &["keys", "list"],
        &["run", "triage"],
    ] {
        let ran = folder.run(arguments, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains("error: not an Accord project: no .accord folder in "), "{ran:?}");
        assert!(ran.stderr.contains("accord init"), "{ran:?}");
    }
    assert!(!folder.path().join(".accord").exists());
    let folder = Folder::with(&[("accord.toml", "")]);
    assert_eq!(folder.run(&["runs", "list"], "").code, Some(0), "settings make a project");
}

#[test]
fn empty_lists_print_no_message_to_stdout() {
    let folder = init();
    for (arguments, said) in [
        (&["stats"][..], "No finished runs found.\n"),
        (&["stats", "--agent", "triage"], "No finished runs match these filters.\n"),
        (&["runs", "list"], "No runs found.\n"),
    ] {
        let ran = folder.run(arguments, "");
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", said));
        let ran = folder.run(&[arguments, &["--json"]].concat(), "");
        assert!(ran.code == Some(0) && ran.json().is_object() && ran.stderr.is_empty(), "{ran:?}");
    }
}

#[test]
fn a_time_limit_may_be_very_long() {
    let folder = init();
    for seconds in ["9223372036854775807", "18446744073709551615"] {
        let run = ["run", "word-count", "--param", "text=one two", "--timeout", seconds];
        let ran = folder.run(&run, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let input = ".accord/inputs/ticket.json";
        let ran =
            folder.run(&["workflow", "run", "ticket-intake", "--input", input, "--timeout", seconds], "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

#[test]
fn a_task_for_a_workflow_comes_from_stdin() {
    let flow = "name: flow\nnodes: { input: { type: input }, output: { type: output } }\nedges: [{ from: input, to: output }]\n";
    let folder = Folder::with(&[]);
    folder.write(".accord/workflows/flow.yaml", flow.as_bytes());
    let ran = folder.run(&["workflow", "run", "flow", "-"], "from stdin");
    assert_eq!((ran.code, ran.json()), (Some(0), json!({"prompt": "from stdin"})), "{ran:?}");
}

#[test]
fn the_doctor_checks_workflows_and_cassettes() {
    let folder = init();
    let found = |report: &Value, name: &str| -> Vec<(String, String)> {
        let text = |check: &Value, field: &str| check[field].as_str().unwrap_or_default().to_owned();
        let checks = report["checks"].as_array().unwrap().iter().filter(|check| check["name"] == name);
        checks.map(|check| (text(check, "status"), text(check, "message"))).collect()
    };
    let report = doctor(&folder, &["--json"]).json();
    assert_eq!(found(&report, "workflows"), [("ok".to_owned(), "1 workflow valid".to_owned())]);

    std::fs::remove_file(folder.path().join(".accord/cassettes/ticket-triage.json")).unwrap();
    let lost = "name: lost\nnodes: { input: { type: input }, a: { type: agent, agent: nobody }, output: { type: output } }\n\
                edges: [{ from: input, to: a }, { from: a, to: output }]\n";
    folder.write(".accord/workflows/lost.yaml", lost.as_bytes());
    let ran = doctor(&folder, &["--json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["ok"]), (Some(1), &json!(false)));
    let broken = ("fail".to_owned(), "lost: agent 'nobody' does not exist or is invalid".to_owned());
    assert_eq!(found(&report, "workflows")[1], broken);
    let missing = found(&report, "agents").into_iter().find(|(status, _)| status == "warn").unwrap().1;
    assert!(
        missing.starts_with("ticket-triage: cassette ") && missing.ends_with("does not exist"),
        "{missing}"
    );
}

#[test]
fn workflow_runs_are_shown_without_a_coordinator() {
    let folder = init();
    let show =
        |arguments: &[&str]| folder.run(&[&["workflow", "show", "ticket-intake"], arguments].concat(), "");
    let before = show(&["--json"]).json();
    assert_eq!((&before["summary"]["name"], &before["runs"]), (&json!("ticket-intake"), &json!([])));
    assert!(!folder.path().join(".accord/accord.db").exists(), "looking makes no store");
    let run = ["workflow", "run", "ticket-intake", "--input", ".accord/inputs/ticket.json", "--json"];
    let ran = folder.run(&run, "").json();
    let after = show(&["--json"]).json();
    assert_eq!(after["runs"][0]["workflow_run_id"], ran["workflow_run_id"], "{after}");
    let shown = show(&[]);
    assert!(shown.stdout.contains(ran["workflow_run_id"].as_str().unwrap()), "{shown:?}");
    let unknown = folder.run(&["workflow", "show", "nothing"], "");
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(1), ""));
    assert!(unknown.stderr.contains("'nothing'"), "{unknown:?}");
    assert!(unknown.stderr.contains("accord workflows list"), "{unknown:?}");
}

#[test]
fn the_starter_agents_can_be_used() {
    let folder = init();
    let ran = folder.run(&["agents", "list", "--json"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let agents = ran.json();
    let verdict = |agent: &Value| (agent["name"].clone(), agent["valid"].clone(), agent["problems"].clone());
    let found: Vec<_> = agents["items"].as_array().unwrap().iter().map(verdict).collect();
    let expected = ["invoice-reader", "release-notes", "ticket-triage", "word-count"]
        .map(|name| (json!(name), json!(true), json!([])));
    assert_eq!(found, expected);
    assert_eq!(folder.run(&["agents", "validate", "--deny-warnings"], "").code, Some(0));
}

#[test]
fn a_new_agent_is_valid_and_never_overwritten() {
    let folder = init();
    for (arguments, file) in [
        (&["agents", "new", "mine"][..], ".accord/agents/mine/agent.yaml"),
        (&["agents", "new", "counted", "--procedural"], ".accord/agents/counted/agent.yaml"),
    ] {
        let ran = folder.run(arguments, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), format!("{file}\n").as_str()), "{ran:?}");
        let before = std::fs::read_to_string(folder.path().join(file)).unwrap();
        let again = folder.run(arguments, "");
        assert_eq!((again.code, again.stdout.as_str()), (Some(1), ""), "{again:?}");
        assert_eq!(std::fs::read_to_string(folder.path().join(file)).unwrap(), before);
    }
    let ran = folder.run(&["agents", "validate", "mine", "counted", "--deny-warnings"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "ok  mine\nok  counted\n"), "{ran:?}");
}

#[test]
fn a_broken_agent_is_listed_with_its_location() {
    let folder = init();
    let file = ".accord/agents/broken/agent.yaml";
    let text = "name: broken\ntype: procedural\nexecutor: { type: process, command: x }\noutput_schema:\n  type: objekt\n";
    folder.write(file, text.as_bytes());
    for arguments in [&["agents", "validate", "broken"][..], &["agents", "validate", file]] {
        let ran = folder.run(arguments, "");
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stdout.starts_with("1 error  broken\n"), "{}", ran.stdout);
        assert!(ran.stdout.contains("\n.accord/agents/broken/agent.yaml:5:9: error: "), "{}", ran.stdout);
        assert!(ran.stdout.contains("(at $.output_schema.type)"), "{}", ran.stdout);
    }
    let listed = folder.run(&["agents", "list"], "");
    assert_eq!(listed.code, Some(0));
    assert!(listed.stdout.contains("agent.yaml:5:9: error: "), "{}", listed.stdout);
    assert_eq!(listed.stderr, "warning: 1 invalid agent; run `accord agents validate` for details\n");
    let all = folder.run(&["agents", "validate", "--json"], "").json();
    assert_eq!(all["valid"], json!(false));
    assert_eq!(doctor(&folder, &[]).code, Some(1));
}

#[test]
fn an_unknown_agent_lists_the_known_ones() {
    let folder = init();
    let ran = folder.run(&["agents", "validate", "word-cuont"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("'word-cuont'") && ran.stderr.contains("word-count"), "{}", ran.stderr);
    let ran = folder.run(&["agents", "show", "nobody"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
}

#[test]
fn the_first_key_is_created_without_a_coordinator() {
    let folder = init();
    let made = folder.run(&["keys", "create", "--role", "admin", "--name", "laptop"], "");
    assert_eq!(made.code, Some(0), "{made:?}");
    let secret = made.stdout.trim();
    assert!(secret.starts_with("accord_") && made.stdout.lines().count() == 1, "{made:?}");
    assert!(!made.stderr.contains(secret), "{made:?}");
    assert!(made.stderr.contains("cannot be shown again"), "{made:?}");

    let keys = folder.run(&["keys", "list", "--json"], "").json();
    let keys = keys["items"].as_array().unwrap();
    assert_eq!((keys.len(), &keys[0]["role"], &keys[0]["name"]), (1, &json!("admin"), &json!("laptop")));
    assert!(!keys[0].to_string().contains(secret));
    let id = keys[0]["key_id"].as_str().unwrap();
    let removed = folder.run(&["keys", "rm", id], "");
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert!(removed.stderr.contains("the last key"), "{removed:?}");
    assert_eq!(folder.run(&["keys", "rm", id], "").code, Some(1));
    assert_eq!(folder.run(&["keys", "list", "--json"], "").json()["items"], json!([]));
}

#[test]
fn a_database_can_be_chosen() {
    let folder = init();
    let made = folder.run(&["keys", "create", "--role", "viewer", "--database", "sqlite://other.db"], "");
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(folder.path().join("other.db").is_file());
    let made = folder.run(&["keys", "create", "--role", "viewer", "--database", "mysql://me:secret@h/d"], "");
    assert_eq!((made.code, made.stdout.as_str()), (Some(1), ""));
    assert!(made.stderr.contains("sqlite://FILE") && !made.stderr.contains("secret"), "{made:?}");
}

#[test]
fn the_doctor_shows_effective_settings() {
    let folder = init();
    folder.write(".accord/config.toml", b"[queue]\nlease_seconds = 7\n");
    let ran = doctor(&folder, &["--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let report = ran.json();
    let settings = report["settings"].as_array().unwrap();
    let lease = settings.iter().find(|setting| setting["key"] == "queue.lease_seconds").unwrap();
    assert_eq!(lease["value"], json!("7"));
    assert!(lease["origin"].as_str().unwrap().ends_with(".accord/config.toml"), "{lease}");
    let checks: Vec<_> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| (check["name"].as_str().unwrap(), check["status"].as_str().unwrap()))
        // Whether commands can be sandboxed depends on the system.
        .map(|(name, status)| if name == "commands" { (name, "said") } else { (name, status) })
        .collect();
    let expected = [
        ("settings", "ok"),
        ("coordinator", "warn"),
        ("store", "ok"),
        ("agents", "ok"),
        ("workflows", "ok"),
        ("providers", "ok"),
        ("commands", "said"),
        ("programs", "ok"),
        ("programs", "ok"),
    ];
    assert_eq!(checks, expected);
    assert!(!folder.path().join(".accord/accord.db").exists(), "looking makes no store");
}

#[test]
fn the_doctor_hides_passwords_in_invalid_addresses() {
    let folder = init();
    let settings =
        "[database]\nurl = \"postgres:u:hush@h/x\"\n[telemetry]\notlp_endpoint = \"bob:hush@h:1\"\n";
    folder.write(".accord/config.toml", settings.as_bytes());
    let ran = doctor(&folder, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for shown in [
        "\"(hidden)@h/x\"",
        "\"(hidden)@h:1\"",
        "invalid telemetry.otlp_endpoint: expected an http or https URL, got '(hidden)@h:1'",
    ] {
        assert!(ran.stdout.contains(shown), "no {shown} in {}", ran.stdout);
    }
    let told = ran.stdout + &ran.stderr + &folder.run(&["runs", "list"], "").stderr;
    assert!(!told.contains("hush"), "{told}");
}

#[test]
fn the_doctor_fails_on_broken_files() {
    let folder = init();
    folder.write(".accord/accord.db", b"not a database");
    let ran = doctor(&folder, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout.contains("fail  store: ") && ran.stdout.contains("hint: restore a backup or move it away"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_doctor_finds_startup_errors() {
    let folder = init();
    for (settings, said) in [
        ("[log]\nfilter = \"=what=\"\n", "invalid log.filter '=what='"),
        (
            "[telemetry]\notlp_endpoint = \"nowhere\"\n",
            "invalid telemetry.otlp_endpoint: expected an http or https URL, got 'nowhere'",
        ),
        ("[runner]\nproject_dir = \"not/there\"\n", "not/there: No such file"),
        ("[server]\nlisten = \"everywhere\"\n", "cannot listen on everywhere"),
        (
            "[workflows]\nembedding_provider = \"nobody\"\nembedding_model = \"m\"\n",
            "cannot use the embedding model: ",
        ),
    ] {
        folder.write(".accord/config.toml", settings.as_bytes());
        let ran = doctor(&folder, &[]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let line = ran.stdout.lines().find(|line| line.starts_with("fail  settings: ")).unwrap_or_default();
        assert!(line.contains(said), "{settings}: {}", ran.stdout);
        let up = folder.run(&["up"], "");
        assert!(up.code == Some(1) && up.stderr.contains(said), "{settings}: {up:?}");
    }
}

#[test]
fn an_unreadable_agents_folder_is_an_error() {
    let folder = init();
    std::fs::remove_dir_all(folder.path().join(".accord/agents")).unwrap();
    folder.write(".accord/agents", b"a file");
    let ran = doctor(&folder, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("fail  agents: ") && ran.stdout.contains("cannot read "), "{}", ran.stdout);
    let ran = folder.run(&["run", "word-count", "--param", "text=a"], "");
    assert!(ran.stderr.contains("cannot be read"), "{ran:?}");
}

#[test]
fn a_failed_start_does_not_block_the_next() {
    let folder = Folder::with(&[]);
    folder.write(".accord/schemas", b"where a folder should be");
    let ran = folder.run(&["init"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("cannot write"), "{}", ran.stderr);
    std::fs::remove_file(folder.path().join(".accord/schemas")).unwrap();
    let ran = folder.run(&["init"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn commands_that_need_a_coordinator_say_how_to_start_one() {
    let folder = init();
    for arguments in [&["run", "word-count", "--no-wait"][..], &["sessions", "resume", "ses_1", "hello"]] {
        let ran = folder.run(arguments, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(ran.stderr.contains("accord up"), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn read_commands_need_no_coordinator() {
    let folder = init();
    let schema = ".accord/schemas/task.schema.json";
    for (arguments, code) in [
        (&["runs", "list"][..], 0),
        (&["runs", "show", "run_1"], 1),
        (&["runs", "stop", "run_1"], 1),
        (&["runs", "retry", "run_1"], 1),
        (&["sessions", "stop", "ses_1"], 1),
        (&["workflow", "stop", "wfr_1"], 1),
        (&["workflow", "retry", "wfr_1"], 1),
        (&["runs", "attempts", "run_1"], 1),
        (&["runs", "watch", "run_1"], 1),
        (&["sessions", "rm", "ses_1"], 1),
        (&["sessions", "list"], 0),
        (&["sessions", "show", "ses_1"], 1),
        (&["sessions", "result", "ses_1"], 1),
        (&["agents", "show", "word-count", "--contract"], 0),
        (&["stats"], 0),
        (&["schemas", "list"], 0),
        (&["schemas", "show", "task"], 1),
        (&["schemas", "add", "task", schema], 0),
        (&["schemas", "show", "task"], 0),
        (&["schemas", "rm", "task"], 0),
        (&["schemas", "show", "task"], 1),
    ] {
        let ran = folder.run(arguments, "");
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("accord up"), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn read_commands_write_no_files() {
    for (arguments, code) in [
        (&["keys", "list"][..], 1),
        (&["keys", "rm", "key_1"], 1),
        (&["keys", "list", "--database", "sqlite://other.db"], 0),
        (&["schemas", "rm", "task"], 1),
        (&["runs", "list"], 1),
        (&["run", "nobody", "hello"], 1),
        (&["workflow", "run", "nothing"], 1),
    ] {
        let folder = Folder::with(&[]);
        let ran = folder.run(arguments, "");
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.stderr);
        let left = std::fs::read_dir(folder.path()).unwrap().next();
        assert!(left.is_none(), "{arguments:?}: {left:?}");
    }
}

#[test]
fn duplicate_parameters_are_an_error() {
    let folder = init();
    for arguments in [
        &["run", "word-count", "--param", "text=1", "--param", "text=2"][..],
        &["workflow", "run", "ticket-intake", "--param", "text=1", "--param", "text=2"],
    ] {
        let ran = folder.run(arguments, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(ran.stderr.contains("--param text is given twice"), "{arguments:?}: {}", ran.stderr);
    }
    folder.write("given.json", b"{\"text\": \"of the file\"}");
    let ran =
        folder.run(&["run", "word-count", "--params", "given.json", "--param", "text=one two three"], "");
    assert_eq!((ran.code, &ran.json()["words"]), (Some(0), &json!(3)), "{ran:?}");
}

#[test]
fn an_unreachable_coordinator_is_an_error() {
    let folder = init();
    // A port that was free a moment ago: nothing listens on it.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ran = folder.run(&["runs", "list", "--coordinator", &format!("http://{address}")], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""), "{ran:?}");
    assert!(ran.stderr.contains(&address.to_string()), "{}", ran.stderr);
    let ran = folder.run(&["runs", "list", "--coordinator", "nowhere"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
}
