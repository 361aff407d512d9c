//! The built-in tools: files of the project folder, and commands in it.
//!
//! Errors are reported to the model with what it can do; nothing here ends a turn. File tools cannot
//! leave the project folder (see `folder`), and neither can a command (see `run_command`), except for what the runner's
//! settings let it reach.

pub(crate) mod ask_human;
mod folder;
mod glob;
mod lines;
mod list_files;
mod pace;
mod read_file;
mod run_command;
mod search_files;
mod walk;
mod write_file;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::child::Variables;
use crate::session::OpenError;
use crate::toolbox::{Effect, ToolCall, ToolOutput, ToolSpec, Toolbox, Toolboxes};

pub(crate) use folder::PRIVATE;
use folder::{Folder, Refusal};
use pace::Pace;
use run_command::Commands;

/// Opens the built-in tools: `read_file`, `list_files`, `search_files`, `write_file`, `run_command`, `ask_human`.
#[derive(Debug, Clone)]
pub struct BuiltinTools {
    commands: Arc<Commands>,
    /// Files of Accord's own, besides those that a project folder has by name.
    private_files: Arc<[PathBuf]>,
}

impl BuiltinTools {
    /// Tools whose commands see these variables, without those that are secrets.
    pub fn new(variables: impl Into<Variables>) -> Self {
        let environment = variables.into().without_secrets();
        Self {
            commands: Arc::new(Commands { environment, folders: Vec::new() }),
            private_files: Arc::default(),
        }
    }

    /// The same tools, whose commands may read and write these folders besides the project folder; all, where the root of
    /// the file system is among them.
    pub fn with_command_folders(self, folders: Vec<PathBuf>) -> Self {
        let environment = self.commands.environment.clone();
        Self { commands: Arc::new(Commands { environment, folders }), ..self }
    }

    /// The same tools, of which those for files leave these alone: the settings and the data that Accord uses.
    pub fn with_private_files(self, files: Vec<PathBuf>) -> Self {
        Self { private_files: files.into(), ..self }
    }

    /// Whether `run_command` can be used here, or why not.
    pub fn check_commands(&self) -> Result<(), OpenError> {
        self.commands.check()
    }
}

impl Toolboxes for BuiltinTools {
    fn open(&self, names: &[String], project_dir: &Path) -> Result<Box<dyn Toolbox>, OpenError> {
        let tools = listed(names)?;
        Folder::open(project_dir).map_err(|error| OpenError::Missing(closed(project_dir, &error)))?;
        if tools.contains(&Builtin::RunCommand) {
            self.commands.check()?;
        }
        let (commands, private_files) = (Arc::clone(&self.commands), Arc::clone(&self.private_files));
        Ok(Box::new(Builtins { tools, project_dir: project_dir.into(), commands, private_files }))
    }
}

/// What is offered where these tools are listed.
pub(crate) fn specs(names: &[String]) -> Result<Vec<ToolSpec>, OpenError> {
    Ok(listed(names)?.into_iter().map(Builtin::spec).collect())
}

/// Whether this is the name of a tool here.
pub(crate) fn is_built_in(name: &str) -> bool {
    Builtin::named(name).is_some()
}

fn listed(names: &[String]) -> Result<Vec<Builtin>, OpenError> {
    let mut tools = Vec::new();
    for name in names {
        let tool = Builtin::named(name).ok_or_else(|| unknown(name))?;
        if !tools.contains(&tool) {
            tools.push(tool);
        }
    }
    Ok(tools)
}

fn closed(project_dir: &Path, error: &io::Error) -> String {
    format!("the project folder {} cannot be opened: {error}", project_dir.display())
}

fn unknown(name: &str) -> OpenError {
    let known: Vec<&str> = Builtin::ALL.iter().map(|tool| tool.name()).collect();
    OpenError::Settings(format!("unknown tool '{name}'; expected {} in `tools`", known.join(", ")))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Builtin {
    ReadFile,
    ListFiles,
    SearchFiles,
    WriteFile,
    RunCommand,
    AskHuman,
}

impl Builtin {
    const ALL: [Self; 6] = [
        Self::ReadFile,
        Self::ListFiles,
        Self::SearchFiles,
        Self::WriteFile,
        Self::RunCommand,
        Self::AskHuman,
    ];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::ReadFile => "read_file",
            Self::ListFiles => "list_files",
            Self::SearchFiles => "search_files",
            Self::WriteFile => "write_file",
            Self::RunCommand => "run_command",
            Self::AskHuman => ask_human::NAME,
        }
    }

    fn spec(self) -> ToolSpec {
        let (description, properties) = match self {
            Self::ReadFile => read_file::spec(),
            Self::ListFiles => list_files::spec(),
            Self::SearchFiles => search_files::spec(),
            Self::WriteFile => write_file::spec(),
            Self::RunCommand => run_command::spec(),
            Self::AskHuman => ask_human::spec(),
        };
        let parameters = parameters(properties);
        ToolSpec { name: self.name().to_owned(), description, parameters, original: None }
    }
}

/// Parameters that every provider's strict mode takes: all are required, what may be left out is nullable.
fn parameters(properties: Value) -> Value {
    let names: Vec<&String> = properties.as_object().map(|all| all.keys().collect()).unwrap_or_default();
    json!({"type": "object", "required": names, "additionalProperties": false, "properties": properties})
}

/// The folder is open only while a tool works: thousands of sessions wait for their models, and open files are few.
struct Builtins {
    tools: Vec<Builtin>,
    project_dir: Arc<Path>,
    commands: Arc<Commands>,
    private_files: Arc<[PathBuf]>,
}

#[async_trait]
impl Toolbox for Builtins {
    fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec()).collect()
    }

    fn effect(&self, name: &str) -> Effect {
        match Builtin::named(name) {
            Some(Builtin::ReadFile | Builtin::ListFiles | Builtin::SearchFiles | Builtin::AskHuman) => {
                Effect::None
            }
            Some(Builtin::WriteFile) => Effect::Idempotent,
            Some(Builtin::RunCommand) | None => Effect::Unknown,
        }
    }

    async fn call(&self, call: ToolCall<'_>, cancel: &CancellationToken) -> ToolOutput {
        let ToolCall { name, arguments, .. } = call;
        let Some(tool) = self.tools.iter().find(|tool| tool.name() == name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
            return refused(format!("unknown tool '{name}'; available: {}", names.join(", ")));
        };
        let result = match tool {
            Builtin::ReadFile => self.in_folder(cancel, arguments, read_file::run).await,
            Builtin::ListFiles => self.in_folder(cancel, arguments, list_files::run).await,
            Builtin::SearchFiles => self.in_folder(cancel, arguments, search_files::run).await,
            Builtin::WriteFile => self.in_folder(cancel, arguments, write_file::run).await,
            // The agent loop asks before it calls tools. A loop without people has nobody to ask.
            Builtin::AskHuman => return refused("nobody can be asked here".to_owned()),
            Builtin::RunCommand => match read(arguments) {
                Ok(arguments) => {
                    return run_command::run(&self.project_dir, &self.commands, arguments, cancel).await;
                }
                Err(refusal) => Err(refusal),
            },
        };
        match result {
            Ok(text) => ToolOutput { ok: true, text },
            Err(Refusal(text)) => refused(text),
        }
    }
}

impl Builtins {
    /// Runs blocking work on files. It ends early if its caller is dropped.
    async fn in_folder<Arguments: DeserializeOwned + Send + 'static>(
        &self,
        cancel: &CancellationToken,
        arguments: &Value,
        work: fn(&Folder, Arguments, &Pace) -> Result<String, Refusal>,
    ) -> Result<String, Refusal> {
        let arguments = read(arguments)?;
        let stop = cancel.child_token();
        let _stopped_when_dropped = stop.clone().drop_guard();
        let (project_dir, private) = (Arc::clone(&self.project_dir), Arc::clone(&self.private_files));
        let work = tokio::task::spawn_blocking(move || {
            let folder = Folder::open(&project_dir).map_err(|error| Refusal(closed(&project_dir, &error)))?;
            work(&folder.keeping(&private), arguments, &Pace::new(stop))
        });
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Refusal("stopped".to_owned())),
            done = work => done.unwrap_or_else(|error| Err(Refusal(format!("the tool failed: {error}")))),
        }
    }
}

fn read<Arguments: DeserializeOwned>(arguments: &Value) -> Result<Arguments, Refusal> {
    Arguments::deserialize(arguments).map_err(|error| Refusal(format!("invalid arguments: {error}")))
}

fn refused(text: String) -> ToolOutput {
    ToolOutput { ok: false, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(names: &[&str], folder: &Path) -> Result<Box<dyn Toolbox>, OpenError> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        BuiltinTools::new([]).open(&names, folder)
    }

    #[test]
    fn an_unknown_tool_is_rejected_with_the_known_ones() {
        let folder = tempfile::tempdir().unwrap();
        let error = open(&["read_file", "rm"], folder.path()).err().unwrap();
        assert!(matches!(error, OpenError::Settings(_)));
        let text = "unknown tool 'rm'; expected read_file, list_files, search_files, write_file, run_command, ask_human in `tools`";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn a_missing_folder_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let error = open(&[], &folder.path().join("gone")).err().unwrap();
        assert!(matches!(error, OpenError::Missing(_)));
    }

    #[test]
    fn a_waiting_session_holds_no_open_folder() {
        let folder = tempfile::tempdir().unwrap();
        let tools = open(&["read_file"], folder.path()).unwrap();
        let held = std::fs::read_dir("/proc/self/fd").unwrap();
        let held = held.filter_map(|file| std::fs::read_link(file.unwrap().path()).ok());
        assert_eq!(held.filter(|path| path == folder.path()).count(), 0);
        drop(tools);
    }

    #[test]
    fn every_schema_is_strict() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<&str> = Builtin::ALL.iter().map(|tool| tool.name()).collect();
        let specs = open(&names, folder.path()).unwrap().specs();
        assert_eq!(specs.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>(), names);
        for spec in specs {
            let properties = spec.parameters["properties"].as_object().unwrap();
            let required: Vec<&str> = spec.parameters["required"]
                .as_array()
                .unwrap()
                .iter()
                .map(|name| name.as_str().unwrap())
                .collect();
            assert_eq!(properties.keys().collect::<Vec<_>>(), required, "{}", spec.name);
            assert_eq!(spec.parameters["additionalProperties"], json!(false));
            assert!(properties.values().all(|property| property["description"].is_string()), "{}", spec.name);
        }
    }

    fn called<'a>(name: &'a str, arguments: &'a Value) -> ToolCall<'a> {
        ToolCall { name, arguments, key: "key" }
    }

    #[tokio::test]
    async fn invalid_calls_get_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let tools = open(&["read_file", "read_file"], folder.path()).unwrap();
        let cancel = CancellationToken::new();
        assert_eq!(tools.specs().len(), 1);
        let output = tools.call(called("write_file", &json!({})), &cancel).await;
        assert_eq!(output, refused("unknown tool 'write_file'; available: read_file".to_owned()));
        for arguments in
            [json!("x"), json!(null), json!({}), json!({"path": 1}), json!({"path": "a", "b": 1})]
        {
            let output = tools.call(called("read_file", &arguments), &cancel).await;
            assert!(!output.ok && output.text.starts_with("invalid arguments: "), "{}", output.text);
        }
        cancel.cancel();
        let output = tools.call(called("read_file", &json!({"path": "a"})), &cancel).await;
        assert_eq!(output, refused("stopped".to_owned()));
    }
}
