//! `accord acp`, driven by the client of the crate `agent-client-protocol` as an editor would.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use accord_test_support::Reply;
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, InitializeRequest, LoadSessionRequest, NewSessionRequest,
    PromptRequest, RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SelectedPermissionOutcome, SessionId, SessionNotification, SessionUpdate, StopReason, TextContent,
    ToolCallStatus,
};
use agent_client_protocol::{Agent, Client, Error, Lines, on_receive_notification, on_receive_request};
use futures_util::{sink, stream};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::support::{Project, accord, agent, contracted, model};

/// The updates that an editor received, in order.
type Told = Arc<Mutex<Vec<SessionUpdate>>>;

/// The permissions that an editor was asked for, in order: the tool and its arguments. Its user allows `echo yes` only.
type Asked = Arc<Mutex<Vec<(String, Value)>>>;

/// Starts `accord acp`, initializes it, opens a session and runs `work` in it.
async fn edit<T>(
    folder: &Path,
    arguments: &[&str],
    work: impl AsyncFnOnce(Editor) -> T + Send,
) -> Result<T, Error> {
    let mut command = accord(folder);
    command.arg("acp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let incoming = stream::unfold(BufReader::new(stdout).lines(), |mut lines| async {
        let line = lines.next_line().await.transpose()?;
        Some((line, lines))
    });
    let outgoing = sink::unfold(stdin, |mut stdin, line: String| async move {
        stdin.write_all(format!("{line}\n").as_bytes()).await?;
        Ok::<_, io::Error>(stdin)
    });
    let told = Told::default();
    let asked = Asked::default();
    let (telling, asking) = (Arc::clone(&told), Arc::clone(&asked));
    Client
        .v1()
        .on_receive_notification(
            async move |notice: SessionNotification, _| {
                telling.lock().unwrap().push(notice.update);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                let fields = request.tool_call.fields;
                let arguments = fields.raw_input.unwrap_or_default();
                let option = if arguments["command"] == "echo yes" { "allow" } else { "reject" };
                assert!(request.options.iter().any(|each| each.option_id.to_string() == option));
                asking.lock().unwrap().push((fields.title.unwrap_or_default(), arguments));
                let selected = SelectedPermissionOutcome::new(option.to_owned());
                responder
                    .respond(RequestPermissionResponse::new(RequestPermissionOutcome::Selected(selected)))
            },
            on_receive_request!(),
        )
        .connect_with(Lines::new(outgoing, incoming), async move |accord: ConnectionTo<Agent>| {
            let hello = InitializeRequest::new(ProtocolVersion::V1);
            let greeting = accord.send_request(hello).block_task().await?;
            assert_eq!(greeting.agent_info.unwrap().name, "accord");
            assert!(greeting.agent_capabilities.load_session);
            let session = accord.send_request(NewSessionRequest::new("/")).block_task().await?.session_id;
            Ok(work(Editor { accord, session, told, asked }).await)
        })
        .await
}

struct Editor {
    accord: ConnectionTo<Agent>,
    session: SessionId,
    told: Told,
    asked: Asked,
}

impl Editor {
    async fn ask(&self, text: &str) -> Result<StopReason, Error> {
        let prompt = vec![ContentBlock::Text(TextContent::new(text))];
        let request = PromptRequest::new(self.session.clone(), prompt);
        Ok(self.accord.send_request(request).block_task().await?.stop_reason)
    }

    /// Opens an earlier session. Returns its history as it is replayed: the speaker and the text.
    async fn load(&mut self, id: &SessionId) -> Result<Vec<(&'static str, String)>, Error> {
        self.accord.send_request(LoadSessionRequest::new(id.clone(), "/")).block_task().await?;
        self.session = id.clone();
        let told = std::mem::take(&mut *self.told.lock().unwrap());
        let said = |update| match update {
            SessionUpdate::UserMessageChunk(chunk) => Some(("user", text_of(&chunk.content))),
            SessionUpdate::AgentMessageChunk(chunk) => Some(("agent", text_of(&chunk.content))),
            SessionUpdate::ToolCall(call) => Some(("tool", call.title)),
            _ => None,
        };
        Ok(told.into_iter().filter_map(said).collect())
    }

    /// The updates since the last call: messages and thoughts as text, tool calls with their status.
    fn take(&self) -> (String, String, Vec<(String, ToolCallStatus)>) {
        let (mut said, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
        for update in std::mem::take(&mut *self.told.lock().unwrap()) {
            match update {
                SessionUpdate::AgentMessageChunk(chunk) => said.push_str(&text_of(&chunk.content)),
                SessionUpdate::AgentThoughtChunk(chunk) => thought.push_str(&text_of(&chunk.content)),
                SessionUpdate::ToolCall(call) => calls.push((call.tool_call_id.to_string(), call.status)),
                SessionUpdate::ToolCallUpdate(update) => {
                    calls.push((update.tool_call_id.to_string(), update.fields.status.unwrap()));
                }
                _ => {}
            }
        }
        (said, thought, calls)
    }
}

fn text_of(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.text.clone(),
        _ => String::new(),
    }
}

#[tokio::test]
async fn a_prompt_is_answered_with_the_validated_result() {
    let replies =
        [r#"{"severity": "urgent"}"#, r#"{"severity": "high"}"#, r#"{"severity": "low"}"#].map(Reply::text);
    let model = model(replies).await;
    let project = Project::new().agent(&agent("triage", &model, &contracted()));
    let work = async |editor: Editor| {
        assert_eq!(editor.ask("Nobody can log in").await.unwrap(), StopReason::EndTurn);
        let (said, thought, _) = editor.take();
        assert_eq!(said, "```json\n{\n  \"severity\": \"high\"\n}\n```", "only what was judged is a message");
        assert!(thought.contains("urgent") && thought.contains("Attempt 1 was rejected"), "{thought}");
        assert_eq!(editor.ask("And now?").await.unwrap(), StopReason::EndTurn);
        assert_eq!(editor.take().0, "```json\n{\n  \"severity\": \"low\"\n}\n```");
    };
    edit(project.path(), &[], work).await.unwrap();
    let asked = model.requests().last().unwrap().text();
    assert!(asked.contains("Nobody can log in") && asked.contains("And now?"), "one session: {asked}");
}

#[tokio::test]
async fn a_conversation_is_reopened_by_another_process() {
    let call = Reply::tool("read_file", &json!({"path": "log.txt"}));
    let replies = [call, Reply::text("All is well."), Reply::text("Since noon."), Reply::text("Good-bye.")];
    let model = model(replies).await;
    let tools = json!({"tools": ["read_file"]});
    let project =
        Project::new().agent(&agent("free", &model, &tools)).agent(&agent("other", &model, &json!({})));
    std::fs::write(project.path().join("log.txt"), "fine").unwrap();
    let arguments = ["--agent", "free"];
    let work = async |editor: Editor| {
        for prompt in ["How is it?", "Since when?"] {
            assert_eq!(editor.ask(prompt).await.unwrap(), StopReason::EndTurn);
        }
        editor.session
    };
    let session = edit(project.path(), &arguments, work).await.unwrap();
    let past = [
        ("user", "How is it?"),
        ("tool", "read_file"),
        ("agent", "All is well."),
        ("user", "Since when?"),
        ("agent", "Since noon."),
    ];
    let work = async |mut editor: Editor| {
        let told = editor.load(&session).await.unwrap();
        assert_eq!(told.iter().map(|(who, what)| (*who, what.as_str())).collect::<Vec<_>>(), past);
        assert_eq!(editor.ask("Thanks").await.unwrap(), StopReason::EndTurn);
        assert_eq!(editor.take().0, "Good-bye.");
        let error = editor.load(&SessionId::new("acp-0")).await.unwrap_err();
        assert_eq!(error.message, "unknown session 'acp-0'; create one with session/new");
    };
    edit(project.path(), &arguments, work).await.unwrap();
    let asked = model.requests().last().unwrap().text();
    assert!(["How is it?", "Since noon.", "Thanks"].iter().all(|part| asked.contains(part)), "{asked}");
    let work = async |mut editor: Editor| editor.load(&session).await.unwrap_err().message;
    let refused = edit(project.path(), &["--agent", "other"], work).await.unwrap();
    assert_eq!(refused, "this is a session with agent 'free', expected 'other'");
}

#[tokio::test]
async fn a_contract_that_is_not_met_is_an_error() {
    let model = model([Reply::text("No idea."), Reply::text("Still none.")]).await;
    let project = Project::new().agent(&agent("triage", &model, &contracted()));
    let work = async |editor: Editor| {
        let error = editor.ask("Nobody can log in").await.unwrap_err();
        assert_eq!(error.data.as_ref().unwrap()["type"], "output_schema_validation_failed", "{error:?}");
        assert!(!error.message.is_empty() && editor.take().0.is_empty(), "{error:?}");
    };
    edit(project.path(), &["--agent", "triage"], work).await.unwrap();
}

#[tokio::test]
async fn a_cancelled_prompt_stops_its_run() {
    let model = model([Reply::hang(), Reply::text("Here I am.")]).await;
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    let work = async |editor: Editor| {
        let cancel = async {
            model.wait_for_requests(1).await;
            let twice = editor.ask("In between").await.unwrap_err();
            assert_eq!(twice.message, "the last prompt of this session is not answered yet");
            editor.accord.send_notification(CancelNotification::new(editor.session.clone())).unwrap();
        };
        let (answer, ()) = tokio::join!(editor.ask("Go on for ever"), cancel);
        assert_eq!(answer.unwrap(), StopReason::Cancelled);
        model.wait_until_idle().await;
        assert_eq!(editor.ask("Are you there?").await.unwrap(), StopReason::EndTurn);
        assert_eq!(editor.take().0, "Here I am.");
    };
    edit(project.path(), &[], work).await.unwrap();
}

#[tokio::test]
async fn parameters_are_sent_as_json() {
    let schema = json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}});
    let count = json!({
        "name": "count", "type": "procedural", "parameters_schema": schema,
        "executor": {"type": "process", "command": "sh", "args": ["-c", "cat >/dev/null; echo '{\"n\": 1.50}'"]},
        "output_schema": {"type": "object"},
    });
    let project = Project::new().agent(&count);
    let work = async |editor: Editor| {
        let error = editor.ask("three words here").await.unwrap_err();
        let expected = "expected the parameters of agent 'count' as a JSON object with 'text', got text";
        assert_eq!(error.message, expected);
        for _ in 0..2 {
            assert_eq!(editor.ask(r#"{"text": "a b"}"#).await.unwrap(), StopReason::EndTurn);
            assert_eq!(editor.take().0, "```json\n{\n  \"n\": 1.50\n}\n```", "numbers as they were written");
        }
        editor.session
    };
    let session = edit(project.path(), &[], work).await.unwrap();
    let work = async |mut editor: Editor| editor.load(&session).await.unwrap();
    let past = edit(project.path(), &[], work).await.unwrap();
    let answer = ("agent", "```json\n{\n  \"n\": 1.50\n}\n```".to_owned());
    let asked = ("user", r#"{"text":"a b"}"#.to_owned());
    assert_eq!(past, [asked.clone(), answer.clone(), asked, answer], "one session for each message");
}

#[tokio::test]
async fn several_agents_require_a_choice() {
    let model = model([]).await;
    let project =
        Project::new().agent(&agent("first", &model, &json!({}))).agent(&agent("second", &model, &json!({})));
    let run = async |arguments: &[&str]| {
        let mut command = accord(project.path());
        let output = command.arg("acp").args(arguments).stdin(Stdio::null()).output().await.unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, words) = run(&[]).await;
    assert_eq!(code, Some(1));
    assert!(
        words.contains("expected one agent, got 2: first, second") && words.contains("--agent NAME"),
        "{words}"
    );
    let (code, words) = run(&["--agent", "secnd"]).await;
    assert_eq!(code, Some(1));
    assert!(words.contains("secnd"), "{words}");
}

/// Both directions at once: an editor, `accord acp`, and an ACP agent as the executor.
#[tokio::test]
async fn an_acp_agent_can_be_the_executor() {
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../executor/tests/system/acp/fake.py");
    let with = |act: &str| {
        let executor: Value =
            json!({"type": "acp", "command": [script], "env": {"LOG": folder.path(), "ACT": act}});
        let number = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
        let contract = if act == "submits" { number } else { json!(null) };
        json!({"name": "inner", "type": "autonomous", "executor": executor, "output_schema": contract})
    };
    let project = Project::new().agent(&with("submits"));
    let work = async |editor: Editor| {
        assert_eq!(editor.ask("Count").await.unwrap(), StopReason::EndTurn);
        assert_eq!(editor.take().0, "```json\n{\n  \"n\": 2\n}\n```", "asked again in the same session");
    };
    edit(project.path(), &[], work).await.unwrap();
    let project = Project::new().agent(&with(""));
    let work = async |editor: Editor| {
        assert_eq!(editor.ask("Look").await.unwrap(), StopReason::EndTurn);
        let (said, thought, calls) = editor.take();
        assert_eq!(serde_json::from_str::<Value>(&said).unwrap()["turn"], 1);
        let call = "c1".to_owned();
        let expected = vec![(call.clone(), ToolCallStatus::InProgress), (call, ToolCallStatus::Completed)];
        assert_eq!(calls, expected);
        assert!(thought.contains("I look."), "{thought}");
        // The second run resumes the session of the agent.
        assert_eq!(editor.ask("Again").await.unwrap(), StopReason::EndTurn);
        assert!(editor.take().0.contains("Again"));
    };
    edit(project.path(), &[], work).await.unwrap();
    let messages = std::fs::read_to_string(folder.path().join("messages")).unwrap();
    assert_eq!(messages.matches("\"session/load\"").count(), 1);
}

#[tokio::test]
async fn an_approval_asks_the_user_of_the_editor() {
    let run = |command: &str| Reply::tool("run_command", &json!({"command": command}));
    let model = model([run("echo yes"), run("echo no"), Reply::text("done")]).await;
    let blueprint = agent("careful", &model, &json!({"tools": ["run_command"], "approve": ["run_command"]}));
    let project = Project::new().agent(&blueprint);
    let work = async |editor: Editor| {
        let reason = editor.ask("Try both").await.unwrap();
        assert_eq!(reason, StopReason::EndTurn);
        std::mem::take(&mut *editor.asked.lock().unwrap())
    };
    let asked = edit(project.path(), &["--agent", "careful"], work).await.unwrap();
    let expected =
        ["echo yes", "echo no"].map(|command| ("run_command".to_owned(), json!({"command": command})));
    assert_eq!(asked, expected);
    let requests = model.requests();
    assert!(requests[1].text().contains("[stdout]\nyes"), "{}", requests[1].text());
    assert!(requests[2].text().contains("a person denied this call"), "{}", requests[2].text());
}

#[tokio::test]
async fn a_human_agent_is_announced_with_a_link_and_can_be_cancelled() {
    let person = json!({"name": "person", "type": "autonomous", "executor": {"type": "human"}});
    let project = Project::new().agent(&person);
    let work = async |editor: Editor| {
        let asking = editor.ask("Who are you?");
        tokio::pin!(asking);
        let said = loop {
            let looking = tokio::time::sleep(std::time::Duration::from_millis(50));
            tokio::select! {
                ended = &mut asking => return Err(format!("nobody was asked: {ended:?}")),
                () = looking => {}
            }
            let (said, _, _) = editor.take();
            if !said.is_empty() {
                break said;
            }
        };
        editor.accord.send_notification(CancelNotification::new(editor.session.clone())).unwrap();
        Ok((said, asking.await.unwrap()))
    };
    let (said, reason) = edit(project.path(), &["--agent", "person"], work).await.unwrap().unwrap();
    assert!(said.starts_with("A person has to answer before this continues: "), "{said}");
    assert!(said.contains("http://127.0.0.1:") && said.contains("/ui/"), "{said}");
    assert_eq!(reason, StopReason::Cancelled);
}
