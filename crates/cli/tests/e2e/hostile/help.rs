//! The commands of the binary and their arguments, as its own help lists them.

use std::collections::HashMap;

use crate::support::accord;

/// Commands that the help does not list. `the_hidden_commands_are_attacked_too` in `arguments.rs` knows this list.
const HIDDEN: [&str; 1] = ["submit"];

/// An argument with a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Argument {
    /// With its dashes; nothing for a positional one.
    pub(super) flag: Option<String>,
    /// The name of its value.
    pub(super) value: String,
    pub(super) help: String,
    pub(super) is_required: bool,
}

impl Argument {
    pub(super) fn name(&self) -> String {
        self.flag.clone().unwrap_or_else(|| format!("<{}>", self.value))
    }

    /// Whether the value is, or may be, the path of a file that is read.
    pub(super) fn is_file(&self) -> bool {
        let help = self.help.to_lowercase();
        ["FILE", "DIR", "PATH"].iter().any(|word| self.value.contains(word))
            || ["file", "stdin"].iter().any(|word| help.contains(word))
    }

    /// The first of the values that it allows, if it allows only some.
    pub(super) fn first_choice(&self) -> Option<&str> {
        let choices = self.help.split_once("[possible values: ")?.1;
        choices.split([',', ']']).next()
    }
}

/// A command that has no further commands.
#[derive(Debug, Clone)]
pub(super) struct Command {
    pub(super) path: Vec<String>,
    pub(super) arguments: Vec<Argument>,
}

impl Command {
    pub(super) fn name(&self) -> String {
        self.path.join(" ")
    }
}

/// All commands, each with the arguments that are not the same for many of them: those are with the first two only.
pub(super) async fn commands() -> Vec<Command> {
    let mut commands = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(path) = open.pop() {
        let help = help(&path).await;
        let names: Vec<String> = section(&help, "Commands").into_iter().map(|(name, _)| name).collect();
        let hidden = HIDDEN.iter().map(|name| (*name).to_owned()).filter(|_| path.is_empty());
        let names: Vec<String> = names.into_iter().filter(|name| name != "help").chain(hidden).collect();
        if names.is_empty() {
            commands.push(Command { arguments: arguments(&help), path });
        } else {
            open.extend(names.into_iter().map(|name| [path.clone(), vec![name]].concat()));
        }
    }
    commands.sort_by_key(Command::name);
    let mut uses: HashMap<Argument, usize> = HashMap::new();
    let all = |commands: &[Command]| -> Vec<Argument> {
        commands.iter().flat_map(|command| command.arguments.clone()).collect()
    };
    let everywhere = all(&commands);
    let count = |argument: &Argument| everywhere.iter().filter(|other| *other == argument).count();
    for command in &mut commands {
        command.arguments.retain(|argument| {
            let used = uses.entry(argument.clone()).or_default();
            *used += 1;
            *used <= 2 || count(argument) < 15 || argument.is_required
        });
    }
    commands
}

async fn help(path: &[String]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = accord(folder.path()).args(path).arg("-h").output().await.unwrap();
    assert!(output.status.success(), "accord {path:?} -h: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The entries of a section, each with its description in one line.
fn section(help: &str, title: &str) -> Vec<(String, String)> {
    let lines = help.lines().skip_while(|line| *line != format!("{title}:")).skip(1);
    let mut entries: Vec<(String, String)> = Vec::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        // Descriptions continue far to the right; options without a short name are indented a little more.
        match entries.last_mut() {
            Some((_, description)) if indent > 6 => *description += &format!(" {text}"),
            _ => {
                let (name, description) = text.split_once("  ").unwrap_or((text, ""));
                entries.push((name.to_owned(), description.trim().to_owned()));
            }
        }
    }
    entries
}

fn arguments(help: &str) -> Vec<Argument> {
    let usage = help.lines().find(|line| line.starts_with("Usage:")).unwrap_or_default();
    let mut arguments = Vec::new();
    for (name, help) in section(help, "Arguments") {
        let value = name.trim_end_matches("...").trim_matches(['<', '>', '[', ']']).to_owned();
        arguments.push(Argument { flag: None, value, help, is_required: name.starts_with('<') });
    }
    for (name, help) in section(help, "Options") {
        let Some((flags, value)) = name.split_once(" <") else { continue };
        let flag = flags.split(", ").find(|flag| flag.starts_with("--")).unwrap_or(flags).to_owned();
        let value = value.trim_end_matches("...").trim_end_matches('>').to_owned();
        let is_required = usage.contains(&format!(" {flag} <"));
        arguments.push(Argument { flag: Some(flag), value, help, is_required });
    }
    arguments
}

#[tokio::test]
async fn the_help_is_read() {
    let commands = commands().await;
    assert!(commands.len() > 60, "{}", commands.len());
    let check = commands.iter().find(|command| command.name() == "check").unwrap();
    let schema = check.arguments.iter().find(|argument| argument.name() == "--schema").unwrap();
    assert!(schema.is_file() && !schema.is_required, "{schema:?}");
    let mode = check.arguments.iter().find(|argument| argument.name() == "--mode").unwrap();
    assert_eq!(mode.first_choice(), Some("strict"));
    let lint = commands.iter().find(|command| command.name() == "schemas lint").unwrap();
    assert!(lint.arguments[0].is_required && lint.arguments[0].is_file(), "{lint:?}");
    assert!(commands.iter().any(|command| command.name() == "submit" && command.arguments.len() == 2));
}
