//! Procedural agents.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use accord_executor::{
    Answer, Channel, Event, Events, Executor, OpenError, ProcessExecutor, Session, Start, TurnError,
    Variables,
};
use serde_json::{Value, json};
use tempfile::tempdir;
use tokio_util::sync::CancellationToken;

use crate::support::{self, LEAVES_GRANDCHILD, WITH_GRANDCHILD, gone, grandchild, turn};

fn start(folder: &Path, settings: Value, parameters: Value) -> Start {
    Start { parameters, ..support::start(folder, settings) }
}

async fn open(folder: &Path, settings: Value, parameters: Value) -> Box<dyn Session> {
    let environment = std::env::vars_os().chain([("ACCORD_KEY", "secret"), ("KEPT", "yes")].map(pair));
    ProcessExecutor::new(environment).open(start(folder, settings, parameters)).await.unwrap()
}

fn pair((name, value): (&str, &str)) -> (OsString, OsString) {
    (name.into(), value.into())
}

async fn run(settings: Value, parameters: Value) -> Result<Answer, TurnError> {
    let folder = tempdir().unwrap();
    let mut session = open(folder.path(), settings, parameters).await;
    let cancel = CancellationToken::new();
    session.turn(turn(), &Events::none(), &cancel).await.map_err(|failure| failure.error)
}

#[tokio::test]
async fn secrets_of_a_command_are_hidden() {
    let folder = tempdir().unwrap();
    let given = [("SOME_API_KEY", "sk-0123456789"), ("LABKEY", "labsecret-99"), ("PIN_KEY", "12")];
    let environment = std::env::vars_os().chain(given.map(pair));
    let settings = shell("echo $SOME_API_KEY $LABKEY $PIN_KEY >&2; exit 12");
    let executor = ProcessExecutor::new(Variables::new(environment, ["LABKEY".to_owned()]));
    let mut session = executor.open(start(folder.path(), settings, json!({}))).await.unwrap();
    let failed = session.turn(turn(), &Events::none(), &CancellationToken::new()).await.unwrap_err();
    let words = failed.error.to_string();
    assert!(words.contains("[secret] [secret] 12"), "{words}");
    assert!(!words.contains("sk-0") && !words.contains("labsecret"), "{words}");
    assert_eq!(session.said_beside().as_deref(), Some("stderr: [secret] [secret] 12"));
}

fn shell(script: &str) -> Value {
    json!({"type": "process", "command": "sh", "args": ["-c", script]})
}

async fn text(settings: Value, parameters: Value) -> String {
    run(settings, parameters).await.unwrap().text
}

async fn failure(settings: Value) -> String {
    match run(settings, json!({})).await.unwrap_err() {
        TurnError::Failed(text) => text,
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn reports_stderr_while_the_command_runs() {
    let folder = tempdir().unwrap();
    let environment = std::env::vars_os().chain([("SOME_API_KEY", "sk-0123456789")].map(pair));
    let script =
        "printf 'loading ' >&2; echo $SOME_API_KEY >&2; while [ ! -e go ]; do sleep 0.05; done; echo 1";
    let executor = ProcessExecutor::new(environment);
    let mut session = executor.open(start(folder.path(), shell(script), json!({}))).await.unwrap();
    let (sender, mut heard) = tokio::sync::mpsc::channel(10);
    let (events, cancel) = (Events::new(sender), CancellationToken::new());
    let listening = async {
        let told = heard.recv().await.unwrap();
        std::fs::write(folder.path().join("go"), "").unwrap();
        *told
    };
    let (answer, told) = tokio::join!(session.turn(turn(), &events, &cancel), listening);
    assert_eq!(answer.unwrap().text, "1\n");
    assert_eq!(told, Event::Partial { channel: Channel::Stderr, text: "loading [secret]\n".to_owned() });
}

#[tokio::test]
async fn parameters_are_the_input_and_stdout_is_the_output() {
    let parameters = json!({"b": 1.10, "a": "é"});
    let answer = run(json!({"type": "process", "command": "cat"}), parameters).await.unwrap();
    assert_eq!(answer, Answer::of_text("{\"b\":1.1,\"a\":\"é\"}", ""));
}

#[tokio::test]
async fn flags_come_after_the_arguments() {
    let script = r#"printf '%s|' "$@"; cat"#;
    let mut settings = shell(script);
    settings["args"] = json!(["-c", script, "name", "first"]);
    settings["parameters_as"] = json!("flags");
    assert_eq!(text(settings.clone(), json!({"a": "b c", "d": [1]})).await, "first|--a|b c|--d|[1]|");
    settings["parameters_as"] = json!("both");
    assert_eq!(text(settings, json!({"a": "b"})).await, r#"first|--a|b|{"a":"b"}"#);
}

#[tokio::test]
async fn the_command_sees_its_variables_but_not_accords() {
    let mut settings = shell("echo \"$KEPT $ADDED ${ACCORD_KEY-none} $(basename \"$PWD\")\"");
    settings["env"] = json!({"ADDED": "too"});
    let folder = tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    settings["working_dir"] = json!("sub");
    let mut session = open(folder.path(), settings, json!({})).await;
    let answer = session.turn(turn(), &Events::none(), &CancellationToken::new()).await.unwrap();
    assert_eq!(answer.text, "yes too none sub\n");
}

#[tokio::test]
async fn failures_report_how_the_command_ended() {
    assert_eq!(failure(shell("exit 3")).await, "'sh' exited with code 3; stderr is empty");
    assert_eq!(
        failure(shell("echo no luck >&2; exit 1")).await,
        "'sh' exited with code 1; last lines of stderr:\nno luck"
    );
    assert_eq!(failure(shell("kill -9 $$")).await, "'sh' was killed by signal 9; stderr is empty");
    let long = failure(shell("head -c 100000 /dev/zero | tr '\\0' x >&2; echo end >&2; exit 1")).await;
    assert!(long.ends_with("xxxend") && long.len() < 4200, "{}", long.len());
    let text = failure(shell("printf 'ab\\377'; echo $KEPT >&2")).await;
    let expected =
        "'sh' exited with code 0 and wrote invalid UTF-8 to stdout at byte 2; last lines of stderr:\nyes";
    assert_eq!(text, expected);
}

#[tokio::test]
async fn a_command_that_cannot_be_started_is_explained() {
    for (command, part) in [
        ("no-such-program", "add its folder to the runner's PATH"),
        ("no such program", "put only the program into `command`"),
        ("./no-such-script", "a path is relative to the working folder"),
        ("/", "not executable"),
    ] {
        let text = failure(json!({"type": "process", "command": command})).await;
        assert!(text.starts_with(&format!("'{command}' ")) && text.contains(part), "{text}");
    }
}

#[tokio::test]
async fn unread_input_does_not_block() {
    let large = json!({"text": "x".repeat(2_000_000)});
    assert_eq!(text(shell("echo 1"), large.clone()).await, "1\n");
    assert_eq!(text(shell("exec <&-; echo 2"), large.clone()).await, "2\n");
    let both = "head -c 1000000 /dev/zero | tr '\\0' x >&2; cat | wc -c";
    assert_eq!(text(shell(both), large).await.trim(), "2000011");
}

#[tokio::test]
async fn endless_output_is_stopped() {
    assert_eq!(failure(shell("yes")).await, "'sh' wrote more than 8 MiB to stdout; stderr is empty");
}

#[tokio::test]
async fn a_process_runs_once() {
    let folder = tempdir().unwrap();
    let mut session = open(folder.path(), shell("echo 1"), json!({})).await;
    let capabilities = session.capabilities();
    assert_eq!((capabilities.native, capabilities.tool, capabilities.reprompt), (None, None, false));
    let cancel = CancellationToken::new();
    session.turn(turn(), &Events::none(), &cancel).await.unwrap();
    let again = session.turn(turn(), &Events::none(), &cancel).await.unwrap_err();
    let text = "a process runs once and cannot be re-prompted; start another run";
    assert_eq!(again.error, TurnError::Failed(text.to_owned()));
    assert_eq!(session.conversation(), None);
    session.close().await;
}

#[tokio::test]
async fn tools_are_rejected() {
    let folder = tempdir().unwrap();
    let mut start = start(folder.path(), shell("echo 1"), json!({}));
    start.tools = vec!["read_file".to_owned()];
    let error = ProcessExecutor::new([]).open(start).await.err().unwrap();
    assert!(matches!(error, OpenError::Settings(text) if text.contains("remove `tools`")));
}

#[tokio::test]
async fn nothing_is_left_after_a_command_timed_out() {
    let folder = tempdir().unwrap();
    let mut settings = shell(&format!("echo so far >&2; {WITH_GRANDCHILD}"));
    settings["timeout_seconds"] = json!(1);
    let mut session = open(folder.path(), settings, json!({})).await;
    let failure = session.turn(turn(), &Events::none(), &CancellationToken::new()).await.unwrap_err();
    assert_eq!(failure.error, TurnError::TimedOut(1));
    assert_eq!(session.said_beside().as_deref(), Some("stderr: so far"));
    gone(grandchild(folder.path()).await).await;
}

#[tokio::test]
async fn nothing_is_left_after_a_stop() {
    let folder = tempdir().unwrap();
    let stubborn = format!("trap '' TERM HUP INT; {WITH_GRANDCHILD}");
    let mut session = open(folder.path(), shell(&stubborn), json!({})).await;
    let cancel = CancellationToken::new();
    let events = Events::none();
    let (result, pid) = tokio::join!(session.turn(turn(), &events, &cancel), async {
        let pid = grandchild(folder.path()).await;
        cancel.cancel();
        pid
    });
    assert_eq!(result.unwrap_err().error, TurnError::Stopped);
    gone(pid).await;
}

#[tokio::test]
async fn nothing_is_left_when_the_turn_is_dropped() {
    let folder = tempdir().unwrap();
    let mut session = open(folder.path(), shell(WITH_GRANDCHILD), json!({})).await;
    let (cancel, events) = (CancellationToken::new(), Events::none());
    let pid = tokio::select! {
        _ = session.turn(turn(), &events, &cancel) => panic!("it waits for its grandchild"),
        pid = grandchild(folder.path()) => pid,
    };
    gone(pid).await;
}

#[tokio::test]
async fn background_processes_end_with_the_command() {
    let folder = tempdir().unwrap();
    let mut session = open(folder.path(), shell(LEAVES_GRANDCHILD), json!({})).await;
    let (cancel, events) = (CancellationToken::new(), Events::none());
    let turn = session.turn(turn(), &events, &cancel);
    let answer = tokio::time::timeout(Duration::from_secs(30), turn).await.unwrap().unwrap();
    assert_eq!(answer.text, "1\n");
    gone(grandchild(folder.path()).await).await;
}
