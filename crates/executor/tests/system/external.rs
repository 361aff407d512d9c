//! Programs that follow the executor protocol, and programs that do not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use accord_executor::{
    Answer, Delivery, Event, Events, Executor, ExternalExecutor, McpServer, OpenError, Reach, Session, Start,
    Stop, Turn, TurnError, Usage, Variables,
};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{gone, grandchild, start, turn};

/// The first message of a program.
const HELLO: &str = r#"echo '{"type":"hello","protocol":1,"name":"fake","capabilities":{"resume":true,"native_schema":false,"reprompt":true}}'"#;

/// Reads `start` and the first turn.
const FIRST: &str = "read -r start; read -r asked";

/// A good answer to the first turn.
const ANSWER: &str = r#"echo '{"type":"answer","session_id":"ses_1","turn":1,"text":"yes"}'"#;

struct Program {
    folder: TempDir,
    start: Start,
}

impl Program {
    fn new(lines: &[&str]) -> Self {
        let folder = tempdir().unwrap();
        let settings = json!({"type": "external", "command": "sh", "args": ["-c", lines.join("\n")]});
        let start = Start { parameters: json!({"prompt": "p"}), ..start(folder.path(), settings) };
        Self { folder, start }
    }

    fn set(mut self, name: &str, value: Value) -> Self {
        self.start.settings.as_object_mut().unwrap().insert(name.to_owned(), value);
        self
    }

    fn continues(mut self, conversation: Value) -> Self {
        self.start.conversation = Some(conversation);
        self
    }

    async fn open(&self) -> Result<Box<dyn Session>, OpenError> {
        let added = [("ACCORD_KEY", "secret"), ("LABKEY", "labsecret-99")];
        let environment = std::env::vars_os().chain(added.map(|(name, value)| (name.into(), value.into())));
        ExternalExecutor::new(Variables::new(environment, ["LABKEY".to_owned()]))
            .open(self.start.clone())
            .await
    }

    async fn ask(&self) -> Result<Answer, TurnError> {
        let mut session = self.open().await.unwrap();
        let result = asked(session.as_mut(), turn()).await;
        session.close().await;
        result
    }

    async fn failure(&self) -> String {
        match self.ask().await.unwrap_err() {
            TurnError::Failed(text) => text,
            other => format!("{other:?}"),
        }
    }

    async fn refusal(&self) -> String {
        self.open().await.err().unwrap().to_string()
    }
}

async fn asked(session: &mut dyn Session, turn: Turn) -> Result<Answer, TurnError> {
    let cancel = CancellationToken::new();
    session.turn(turn, &Events::none(), &cancel).await.map_err(|failure| failure.error)
}

fn prompt(text: &str) -> Turn {
    Turn { prompt: text.to_owned(), system_prompt: "be\nshort".to_owned(), ..turn() }
}

fn answer(text: &str) -> Answer {
    Answer::of_text(text, "fake")
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/external").join(name).canonicalize().unwrap()
}

#[tokio::test]
async fn a_program_gets_all_fields_and_its_output_is_read() {
    let script = [
        HELLO,
        FIRST,
        "printf '%s\\n' \"$start\" > start; printf '%s\\n' \"$asked\" > turn; echo \"${ACCORD_KEY-none}\" > key",
        r#"echo '{"type":"weather"}'; echo"#,
        r#"echo '{"type":"message","text":"looking"}'"#,
        r#"echo '{"type":"tool","call_id":"1","name":"ls","status":"started","arguments":{"at":"."}}'"#,
        r#"echo '{"type":"tool","call_id":"1","name":"ls","status":"finished","output":"a"}'"#,
        r#"echo '{"type":"usage","input_tokens":3,"output_tokens":4,"cost_usd":0.5}'"#,
        r#"echo '{"type":"usage","input_tokens":1}'"#,
        r#"echo '{"type":"answer","session_id":"ses_1","turn":1,"text":"so","structured":{"n":1},"model":"m"}'"#,
        "read -r end; printf '%s\\n' \"$end\" > end",
    ];
    let mut program = Program::new(&script);
    let env = [("TOKEN".to_owned(), "t".to_owned())].into();
    let reach = Reach::Program { command: "srv".to_owned(), args: vec!["-x".to_owned()], env };
    program.start.mcp_servers = vec![McpServer { name: "docs".to_owned(), reach }];
    let mut session = program.open().await.unwrap();
    let (sender, mut receiver) = mpsc::channel(16);
    let events = Events::new(sender);
    let answered = session.turn(prompt("what?"), &events, &CancellationToken::new()).await.unwrap();
    session.close().await;
    let usage = Usage { input_tokens: 4, output_tokens: 4, cost_usd: Some(0.5) };
    let expected = Answer { structured: Some(json!({"n": 1})), usage, model: "m".to_owned(), ..answer("so") };
    assert_eq!(answered, expected);
    drop(events);
    let mut told = Vec::new();
    while let Some(event) = receiver.recv().await {
        told.push(*event);
    }
    let (call_id, name) = ("1".to_owned(), "ls".to_owned());
    let (looking, so) = (Event::Message { text: "looking".into() }, Event::Message { text: "so".into() });
    let started =
        Event::ToolStarted { call_id: call_id.clone(), name: name.clone(), arguments: json!({"at": "."}) };
    let finished = Event::ToolFinished { call_id, name, ok: true, output: "a".to_owned() };
    assert_eq!(told, [looking, started, finished, so]);
    let file = |name: &str| std::fs::read_to_string(program.folder.path().join(name)).unwrap();
    let read = |name: &str| -> Value { serde_json::from_str(&file(name)).unwrap() };
    let start = json!({
        "type": "start", "protocol": 1, "session_id": "ses_1", "run_id": "run_1",
        "project_dir": program.folder.path(), "parameters": {"prompt": "p"}, "resume": false, "state": null,
        "mcp_servers": [{"name": "docs", "command": "srv", "args": ["-x"], "env": {"TOKEN": "t"}}],
        "limits": {"timeout_seconds": 600, "max_steps": 7},
    });
    assert_eq!(read("start"), start);
    let turn = json!({
        "type": "turn", "protocol": 1, "session_id": "ses_1", "turn": 1, "system_prompt": "be\nshort",
        "prompt": "what?", "schema": null, "model": null, "max_tokens": null,
    });
    assert_eq!(read("turn"), turn);
    assert_eq!(read("end"), json!({"type": "shutdown", "protocol": 1, "session_id": "ses_1"}));
    assert_eq!(file("key"), "none\n", "Accord's own variables stay here");
}

#[tokio::test]
async fn the_python_example_is_re_prompted_and_resumes() {
    let conversation = {
        let mut program = Program::new(&[]);
        program.start.settings = json!({"type": "external", "command": example("word_count.py")});
        let mut session = program.open().await.unwrap();
        assert_eq!(session.conversation(), None);
        let first = asked(session.as_mut(), prompt("one two")).await.unwrap();
        assert_eq!(first.structured, Some(json!({"words": 2, "total": 2})));
        assert_eq!((first.text.as_str(), first.usage.input_tokens), (r#"{"words":2,"total":2}"#, 2));
        let second = asked(session.as_mut(), prompt("three")).await.unwrap();
        assert_eq!(second.structured, Some(json!({"words": 1, "total": 3})));
        let conversation = session.conversation().unwrap();
        session.close().await;
        conversation
    };
    assert_eq!(conversation, json!({"state": {"total": 3}, "history": []}));
    let mut program = Program::new(&[]).continues(conversation.clone());
    program.start.settings = json!({"type": "external", "command": example("word_count.py")});
    let mut session = program.open().await.unwrap();
    assert_eq!(session.conversation(), Some(conversation), "nothing was said yet");
    let third = asked(session.as_mut(), prompt("four five six")).await.unwrap();
    assert_eq!(third.structured, Some(json!({"words": 3, "total": 6})));
    session.close().await;
}

#[tokio::test]
async fn the_shell_example_gets_the_history() {
    let settings =
        json!({"type": "external", "command": example("wrap.sh"), "args": ["cat"], "reprompt": false});
    let mut program = Program::new(&[]);
    program.start.settings = settings.clone();
    let mut session = program.open().await.unwrap();
    let capabilities = session.capabilities();
    assert_eq!((capabilities.reprompt, capabilities.native, capabilities.tool), (false, None, None));
    let first = asked(session.as_mut(), prompt("one")).await.unwrap();
    assert_eq!(first.text, "be\nshort\n\none");
    let again = asked(session.as_mut(), prompt("two")).await.unwrap_err();
    assert!(again.to_string().contains("cannot be re-prompted"), "{again}");
    let conversation = session.conversation().unwrap();
    session.close().await;
    assert_eq!(
        conversation,
        json!({"state": null, "history": [{"prompt": "one", "answer": "be\nshort\n\none"}]})
    );
    let mut program = Program::new(&[]).continues(conversation);
    program.start.settings = settings;
    let text = program.ask().await.unwrap().text;
    assert!(text.contains("\"prompt\": \"one\"") && text.contains("Continue with this:"), "{text}");

    let mut broken = Program::new(&[]);
    broken.start.settings = json!({
        "type": "external", "command": example("wrap.sh"), "args": ["sh", "-c", "exit 3"], "reprompt": false,
    });
    assert_eq!(broken.failure().await, "'sh': sh exited with code 3");
}

#[tokio::test]
async fn a_schema_is_sent_if_the_program_supports_it() {
    let hello = HELLO.replace("\"native_schema\":false", "\"native_schema\":\"anthropic\"");
    let rejected = r#"echo '{"type":"error","turn":1,"kind":"schema_rejected","message":"too deep"}'"#;
    let second = r#"read -r asked; printf '{"type":"answer","session_id":"ses_1","turn":2,"structured":%s}\n' "$asked""#;
    let program = Program::new(&[&hello, FIRST, rejected, second, "read -r end"]);
    let mut session = program.open().await.unwrap();
    assert_eq!(session.capabilities().native.as_deref(), Some("anthropic"));
    let schema = json!({"type": "object"});
    let native =
        || Turn { delivery: Delivery::Native { name: "r".into(), schema: schema.clone() }, ..turn() };
    let error = asked(session.as_mut(), native()).await.unwrap_err();
    assert_eq!(error, TurnError::SchemaRejected("'fake': too deep".to_owned()));
    let answered = asked(session.as_mut(), native()).await.unwrap();
    assert_eq!(answered.structured.unwrap()["schema"], schema);
    session.close().await;
}

#[tokio::test]
async fn distinguishes_ends() {
    let ends = |rest: &str| {
        let line = format!(r#"echo '{{"type":"answer","session_id":"ses_1","turn":1,{rest}}}'"#);
        Program::new(&[HELLO, FIRST, &line, "read -r end"])
    };
    let cut = ends(r#""text":"ab","stop_reason":"truncated""#).ask().await.unwrap();
    assert_eq!(cut, Answer { stop: Stop::Truncated, ..answer("ab") });
    let refused = ends(r#""text":"I will not","stop_reason":"refused""#).ask().await.unwrap();
    assert_eq!(refused, Answer { stop: Stop::Refused("I will not".to_owned()), ..answer("") });
    let transport = r#"echo '{"type":"error","kind":"transport","message":"503"}'"#;
    let error = Program::new(&[HELLO, FIRST, transport, "read -r end"]).ask().await.unwrap_err();
    assert_eq!(error, TurnError::Transport("'fake': 503".to_owned()));
}

#[tokio::test]
async fn a_bad_hello_is_rejected() {
    for (script, expected) in [
        ("echo oops >&2; exit 4", "'sh' exited with code 4 without an answer; last lines of stderr:\noops"),
        (
            "echo $LABKEY >&2; exit 4",
            "'sh' exited with code 4 without an answer; last lines of stderr:\n[secret]",
        ),
        ("read -r start; echo ready", "'sh' wrote an invalid message to stdout: \"ready\""),
        (ANSWER, "'sh' did not send hello first"),
        (
            r#"echo '{"type":"hello","protocol":2,"capabilities":{"resume":true,"native_schema":false,"reprompt":true}}'"#,
            "'sh' uses protocol version 2, but this runner uses 1",
        ),
        (
            r#"echo '{"type":"hello","protocol":1,"capabilities":{"resume":true}}'"#,
            "'sh' wrote an invalid 'hello' message: missing field `native_schema`",
        ),
        (r#"echo '{"type":"error","message":"no key"}'"#, "'sh' cannot start: no key"),
        (r#"echo '{"type":"error","message":"bad key '$LABKEY'"}'"#, "'sh' cannot start: bad key [secret]"),
        (
            r#"echo '{"type":"hello","protocol":1,"capabilities":{"resume":true,"native_schema":false,"reprompt":false}}'"#,
            "set `reprompt: false` next to its `command`",
        ),
    ] {
        let text = Program::new(&[script]).refusal().await;
        assert!(text.contains(expected), "{text}");
    }
    let late = Program::new(&["exec sleep 300"]).set("timeout_seconds", json!(1)).refusal().await;
    assert_eq!(late, "it was not ready within 1 seconds");
    let text = Program::new(&[]).set("command", json!("no-such-program")).refusal().await;
    assert!(text.contains("'no-such-program' not found"), "{text}");
    let mut program = Program::new(&[HELLO]);
    program.start.tools = vec!["read_file".to_owned()];
    assert!(program.refusal().await.contains("remove `tools` from the blueprint"));
    let text = Program::new(&[HELLO]).continues(json!([1])).refusal().await;
    assert!(text.contains("was not created by an external program"), "{text}");
}

#[tokio::test]
async fn a_program_that_breaks_the_protocol_is_killed_with_its_children() {
    let foreign = r#"echo '{"type":"answer","session_id":"ses_2","turn":1,"text":"x"}'"#;
    let future = r#"echo '{"type":"answer","session_id":"ses_1","turn":9,"text":"x"}'"#;
    let empty = r#"echo '{"type":"answer","session_id":"ses_1","turn":1}'"#;
    for (line, expected) in [
        ("echo garbage", "'sh' wrote an invalid message to stdout: \"garbage\""),
        ("printf 'a\\377\\n'", "'sh' wrote invalid UTF-8 to stdout"),
        ("head -c 100000000 /dev/zero | tr '\\0' x; echo", "'sh' wrote a line of more than 16 MiB"),
        (foreign, "'sh' answered for session 'ses_2'; expected 'ses_1'"),
        (future, "'sh' answered turn 9; expected 1"),
        (empty, "'sh' wrote an 'answer' message with neither text nor structured"),
        (HELLO, "'sh' sent hello twice"),
    ] {
        let started = "sleep 300 & echo $! > part; mv part pid";
        let program = Program::new(&[HELLO, FIRST, started, line, "wait"]);
        let mut session = program.open().await.unwrap();
        let error = asked(session.as_mut(), turn()).await.unwrap_err();
        assert!(matches!(&error, TurnError::Failed(text) if text.starts_with(expected)), "{error}");
        gone(grandchild(program.folder.path()).await).await;
        let again = asked(session.as_mut(), turn()).await.unwrap_err();
        assert!(again.to_string().contains("already exited after a failure"), "{again}");
        session.close().await;
    }
}

#[tokio::test]
async fn an_exit_is_reported_with_stderr_of_the_program() {
    let program = Program::new(&[HELLO, FIRST, "printf '{\"type\":\"ans'; echo no memory >&2; exit 9"]);
    let expected = "'sh' exited with code 9 in the middle of a line; last lines of stderr:\nno memory";
    assert_eq!(program.failure().await, expected);
    let program = Program::new(&[HELLO, FIRST, "kill -9 $$"]);
    assert_eq!(program.failure().await, "'sh' was killed by signal 9 without an answer; stderr is empty");
    let program = Program::new(&[HELLO, FIRST, "exec >&-; sleep 300"]);
    assert_eq!(program.failure().await, "'sh' closed its stdout without an answer; stderr is empty");
}

/// A program that writes all of this at once, including what follows its answer.
fn at_once(lines: &[&str]) -> String {
    let answer = r#"{"type":"answer","session_id":"ses_1","turn":1,"text":"yes"}"#;
    format!("printf '%s\\n' '{answer}' {}", lines.iter().map(|line| format!("'{line}' ")).collect::<String>())
}

#[tokio::test]
async fn reads_messages_that_come_with_an_answer() {
    let answer_again = r#"{"type":"answer","session_id":"ses_1","turn":1,"text":"no"}"#;
    let fault = r#"{"type":"error","turn":1,"message":"no"}"#;
    for (line, expected) in [
        (answer_again, "'sh' answered turn 1 twice"),
        (r#"{"type":"answer","text":"no"}"#, "'sh' answered turn 1 twice"),
        (fault, "'sh' answered turn 1 and reported an error for it"),
        ("done.", "'sh' wrote an invalid message to stdout: \"done.\""),
    ] {
        let program = Program::new(&[HELLO, FIRST, &at_once(&[line]), "read -r end"]);
        let text = program.failure().await;
        assert!(text.starts_with(expected), "{text}");
    }
    let usage = r#"{"type":"usage","output_tokens":5}"#;
    for rest in ["read -r end", "exit 0"] {
        let program = Program::new(&[HELLO, FIRST, &at_once(&[usage, ""]), rest]);
        let expected = Answer { usage: Usage { output_tokens: 5, ..Usage::default() }, ..answer("yes") };
        assert_eq!(program.ask().await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_late_second_answer_is_an_error_of_the_next_turn() {
    let late = "read -r asked";
    let program = Program::new(&[HELLO, FIRST, ANSWER, late, ANSWER, "read -r end"]);
    let mut session = program.open().await.unwrap();
    assert_eq!(asked(session.as_mut(), turn()).await.unwrap(), answer("yes"));
    let error = asked(session.as_mut(), turn()).await.unwrap_err();
    assert_eq!(error, TurnError::Failed("'sh' answered turn 1 twice; stderr is empty".to_owned()));
    session.close().await;
}

#[tokio::test]
async fn silence_times_out() {
    let script = ["trap '' TERM", HELLO, FIRST, "sleep 300 & echo $! > part; mv part pid; wait"];
    let program = Program::new(&script).set("timeout_seconds", json!(1));
    let mut session = program.open().await.unwrap();
    assert_eq!(asked(session.as_mut(), turn()).await.unwrap_err(), TurnError::TimedOut(1));
    gone(grandchild(program.folder.path()).await).await;
    session.close().await;
}

#[tokio::test]
async fn a_cancelled_turn_is_given_up_by_the_program() {
    let used =
        r#"echo '{"type":"usage","output_tokens":5}'; echo '{"type":"error","turn":1,"message":"ok"}'"#;
    let script = [
        HELLO,
        FIRST,
        "echo $$ > part; mv part pid",
        "read -r word; echo \"$word\" > word",
        used,
        "read -r end",
    ];
    let program = Program::new(&script);
    let mut session = program.open().await.unwrap();
    let (cancel, events) = (CancellationToken::new(), Events::none());
    let (result, pid) = tokio::join!(session.turn(turn(), &events, &cancel), async {
        let pid = grandchild(program.folder.path()).await;
        cancel.cancel();
        pid
    });
    let failure = result.unwrap_err();
    assert_eq!((failure.error, failure.usage.output_tokens), (TurnError::Stopped, 5));
    gone(pid).await;
    let word = std::fs::read_to_string(program.folder.path().join("word")).unwrap();
    let expected = json!({"type": "cancel", "protocol": 1, "session_id": "ses_1", "turn": 1});
    assert_eq!(serde_json::from_str::<Value>(&word).unwrap(), expected);
    session.close().await;
}

#[tokio::test]
async fn nothing_is_left_when_a_session_is_dropped() {
    let script = [HELLO, FIRST, "sleep 300 & echo $! > part; mv part pid; wait"];
    let program = Program::new(&script);
    let mut session = program.open().await.unwrap();
    let (cancel, events) = (CancellationToken::new(), Events::none());
    let pid = tokio::select! {
        _ = session.turn(turn(), &events, &cancel) => panic!("it waits for its grandchild"),
        pid = grandchild(program.folder.path()) => pid,
    };
    drop(session);
    gone(pid).await;
    let stubborn = [
        HELLO,
        FIRST,
        ANSWER,
        "trap '' TERM; sleep 300 & echo $! > part; mv part pid",
        "while true; do wait; done",
    ];
    let program = Program::new(&stubborn);
    let mut session = program.open().await.unwrap();
    asked(session.as_mut(), turn()).await.unwrap();
    let pid = grandchild(program.folder.path()).await;
    tokio::time::timeout(Duration::from_secs(30), session.close()).await.unwrap();
    gone(pid).await;
}
