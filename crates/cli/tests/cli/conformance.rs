//! `accord doctor --executor`: programs that follow the protocol, and programs that do not.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::Folder;

fn example(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/external").join(name);
    file.canonicalize().unwrap().display().to_string()
}

fn examine(command: &str) -> (Option<i32>, Value) {
    let folder = Folder::with(&[]);
    let ran = folder.run(&["doctor", "--executor", command, "--timeout", "10", "--json"], "");
    assert_eq!(ran.stderr, "");
    (ran.code, ran.json())
}

fn verdicts(report: &Value) -> Vec<(&str, &str)> {
    let text = |check: &'_ Value, name: &str| check[name].as_str().map(str::len).unwrap_or_default();
    let checks = report["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| text(check, "message") > 0), "{report}");
    checks.iter().map(|check| (check["name"].as_str().unwrap(), check["status"].as_str().unwrap())).collect()
}

#[test]
fn the_examples_conform() {
    let all = [
        "hello",
        "answer",
        "unknown_types",
        "reprompt",
        "resume",
        "native_schema",
        "cancel",
        "shutdown",
        "end_of_input",
    ];
    for command in [example("word_count.py"), format!("{} cat", example("wrap.sh"))] {
        let (code, report) = examine(&command);
        assert_eq!(verdicts(&report), all.map(|check| (check, "ok")), "{report}");
        assert_eq!((code, &report["ok"], &report["executor"]), (Some(0), &json!(true), &json!(command)));
    }
}

#[test]
fn a_program_without_the_protocol_fails_at_hello() {
    let (code, report) = examine("echo hello");
    assert_eq!((code, verdicts(&report)), (Some(1), vec![("hello", "fail")]));
    assert!(report["checks"][0]["message"].as_str().unwrap().contains("invalid message"), "{report}");
    let (code, report) = examine("no-such-program");
    assert_eq!((code, &report["ok"]), (Some(1), &json!(false)));
}

#[test]
fn false_claims_of_a_program_are_found() {
    let folder = Folder::with(&[]);
    let program = r#"
import json, sys
def say(message): print(json.dumps(message), flush=True)
say({"type": "hello", "protocol": 1, "capabilities": {"resume": True, "native_schema": "esperanto", "reprompt": True}})
turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] not in ("start", "turn", "cancel", "shutdown"): sys.exit("what is this?")
    if message["type"] == "turn":
        turns += 1
        if turns == 2: continue
        answer = {"type": "answer", "session_id": message["session_id"], "turn": 1, "text": "x"}
        say(answer)
        say(answer)
import threading; threading.Event().wait()
"#;
    folder.write("bad.py", program.as_bytes());
    let ran = folder.run(&["doctor", "--executor", "python3 bad.py", "--timeout", "5", "--json"], "");
    let report = ran.json();
    let expected = [
        ("hello", "ok"),
        ("answer", "fail"),
        ("unknown_types", "fail"),
        ("reprompt", "fail"),
        ("resume", "warn"),
        ("native_schema", "fail"),
        ("cancel", "ok"),
        ("shutdown", "fail"),
        ("end_of_input", "fail"),
    ];
    assert_eq!((ran.code, verdicts(&report)), (Some(1), expected.to_vec()), "{report}");
    let ran = folder.run(&["doctor", "--executor", "echo hello", "--timeout", "1"], "");
    assert!(
        ran.stdout.starts_with("fail  hello: 'echo hello' wrote an invalid message to stdout"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("hint: see the guide \"External executors\" for the protocol"),
        "{}",
        ran.stdout
    );
}
