//! `accord init`: a project to start from.

mod live;
mod merge;
mod models;
mod template;

use std::fs;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use crate::config::{FILE, FILE_INSIDE, FOLDER};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::{output, runtime};
use merge::{Action, Change, Plan};
use models::Model;
use template::File;

/// Create a .accord folder with example agents, schemas and a workflow
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Looks for a model that the agents can use: provider keys in the environment, Ollama or llama.cpp on
this machine, Claude Code and Codex. In a terminal it asks which one to use; otherwise, and if there
is none, the agents play recorded answers, which needs no key and no network but works only for the
recorded inputs in .accord/inputs.
Models: anthropic[/MODEL], openai[/MODEL], ollama/MODEL, llama.cpp[/MODEL], claude-code, codex.
In a project that already exists, --model changes the model of the examples and --force restores
them. Files that you changed are kept, except that an agent that still plays its recording gets the
model; a terminal asks about the others. --force replaces them. Each file that is changed although
you edited it is first copied to NAME.bak. Settings are never replaced, and a project with an
accord.toml gets no config.toml.

Examples:
  accord init
  accord init --model anthropic
  accord init --model ollama/llama3.2
  accord init --model recorded
  accord init --template code-review --dir review
  accord init --dir my-project && cd my-project && accord agents list")]
pub(crate) struct Arguments {
    /// Folder to write to; created if missing [default: current folder]
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    dir: PathBuf,
    /// Set of examples to write
    #[arg(long, value_enum, default_value_t = Template::Start)]
    template: Template,
    /// Model that the agents use; recorded for the recorded answers of the examples
    #[arg(long, value_name = "MODEL")]
    model: Option<Model>,
    /// Restore the examples; files that you changed are copied to NAME.bak first
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The sets of examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Template {
    /// Recorded agents that meet their contract, fix an answer, or fail
    Start,
    /// Three reviewers and a writer, and a workflow that finds contradictions between the reviews
    CodeReview,
    /// An agent that drafts and a person who approves
    Approval,
    /// A researcher, an implementer, a reviewer and a tester, and a workflow that plans over them
    Team,
}

impl Template {
    /// All files: those that every project has, and its own.
    fn files(self) -> impl Iterator<Item = &'static File> {
        template::COMMON.iter().chain(self.own_files())
    }

    fn own_files(self) -> &'static [File] {
        match self {
            Self::Start => template::START,
            Self::CodeReview => template::CODE_REVIEW,
            Self::Approval => template::APPROVAL,
            Self::Team => template::TEAM,
        }
    }

    /// What to type next.
    fn next(self, model: &Model) -> &'static str {
        match self {
            Self::Start if *model != Model::Recorded => template::START_LIVE_NEXT,
            Self::Start => template::START_NEXT,
            Self::CodeReview => template::CODE_REVIEW_NEXT,
            Self::Approval => template::APPROVAL_NEXT,
            Self::Team => template::TEAM_NEXT,
        }
    }
}

#[derive(Serialize)]
struct Written {
    dir: PathBuf,
    files: Vec<PathBuf>,
    /// What was done about each file.
    changes: Vec<Change>,
    /// The model that the agents use, or `recorded`.
    model: String,
    /// The models that were found.
    found: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    // Settings in two places are an error.
    let has_settings = fs::symlink_metadata(arguments.dir.join(FILE)).is_ok();
    let is_wanted = |file: &&File| !has_settings || file.0 != FILE_INSIDE;
    let folder = arguments.dir.join(FOLDER);
    if fs::metadata(&folder).is_ok_and(|there| !there.is_dir()) {
        let message = format!("nothing written: {} exists and is not a folder", folder.display());
        return Err(Problem::new(message).hint("move it away, or use another folder with --dir DIR").into());
    }
    let files: Vec<&File> = arguments.template.files().filter(is_wanted).collect();
    let is_taken = |file: &&&File| fs::symlink_metadata(folder.join(file.0)).is_ok();
    let taken: Vec<PathBuf> =
        files.iter().filter(is_taken).map(|file| Path::new(FOLDER).join(file.0)).collect();
    if !taken.is_empty() && !arguments.force && arguments.model.is_none() {
        let message = format!("nothing written: {}", existing(&folder, &taken));
        return Err(Problem::new(message)
            .hint(
                "--model MODEL changes the model of the examples, --force restores them (your changes are \
                 kept, or copied to NAME.bak), --dir DIR uses another folder",
            )
            .into());
    }
    let (model, found) = chosen(arguments)?;
    // A live agent plays no recording.
    let is_played = |file: &&&File| model == Model::Recorded || !file.0.starts_with("cassettes/");
    let mut changes = Vec::new();
    for file in files.iter().filter(is_played) {
        match change(arguments, file, &model) {
            Ok(change) => changes.push(change),
            Err(problem) => {
                // Half a project would keep the next try from writing a whole one.
                if taken.is_empty() {
                    let written = changes.iter().map(|change: &Change| change.file.as_path());
                    let written = written.map(|path| arguments.dir.join(path));
                    written.chain([folder.join(file.0)]).for_each(|path| drop(fs::remove_file(path)));
                }
                return Err(problem);
            }
        }
    }
    if arguments.json {
        let (model, found) = (model.name(), found.iter().map(Model::name).collect());
        let files = changes.iter().map(|change| change.file.clone()).collect();
        output::json(&Written { dir: arguments.dir.clone(), files, changes, model, found })?;
        return Ok(Exit::Success);
    }
    let shown = |change: &Change| format!("{}\n", change.words(&arguments.dir.join(&change.file)));
    let list: String = changes.iter().map(shown).collect();
    output::data(list.replace("./.accord", ".accord").as_bytes())?;
    let step = if arguments.dir == Path::new(".") {
        String::new()
    } else {
        format!("  cd {}\n", arguments.dir.display())
    };
    output::message(&about(&model, &found));
    // A CLI writes its own requests, so there is nothing to preview.
    let is_shown = |line: &&str| model.takes_tools() || !line.starts_with("  accord prompt ");
    let next: String = arguments.template.next(&model).split_inclusive('\n').filter(is_shown).collect();
    output::message(&format!("\nNext:\n{step}{next}"));
    Ok(Exit::Success)
}

/// Brings one file up to date.
fn change(arguments: &Arguments, (path, template): &File, model: &Model) -> Result<Change, Failure> {
    let file = Path::new(FOLDER).join(path);
    let place = arguments.dir.join(&file);
    let existing = match fs::read(&place) {
        Ok(bytes) => Some(bytes),
        // What is in the way is reported where the file is written.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
        Err(error) => {
            return Err(Problem::new(format!("cannot read {}: {error}", place.display())).into());
        }
    };
    let (text, action) = match merge::plan(path, existing.as_deref(), template, model) {
        Plan::Create(text) => (text, Action::Created),
        Plan::Update(text) => (text, Action::Updated),
        Plan::Merge(text) => (text, Action::Merged),
        Plan::Conflict(text) if arguments.force || is_replaced(&place, arguments.json) => {
            (text, Action::Replaced)
        }
        Plan::Conflict(_) | Plan::Keep => return Ok(Change { file, action: Action::Kept, backup: None }),
        Plan::Leave => return Ok(Change { file, action: Action::Unchanged, backup: None }),
    };
    let is_changed = matches!(action, Action::Merged | Action::Replaced);
    let backup = is_changed.then(|| merge::back_up(&place)).transpose();
    let backup = backup.map_err(|error| {
        Problem::new(format!("{} was not changed: cannot write a backup: {error}", place.display()))
    })?;
    write(&place, &text)?;
    let backup = backup.map(|backup| file.with_file_name(backup.file_name().unwrap_or_default()));
    Ok(Change { file, action, backup })
}

/// Asks in a terminal whether a file that the user changed is replaced.
fn is_replaced(place: &Path, as_json: bool) -> bool {
    if !is_terminal() || as_json {
        return false;
    }
    let shown = place.strip_prefix(".").unwrap_or(place).display();
    output::message(&format!("You changed {shown}. Replace it by the example, with a backup? [y/N] "));
    let mut line = String::new();
    let is_read = std::io::stdin().read_line(&mut line).is_ok();
    is_read && matches!(line.trim(), "y" | "Y" | "yes")
}

fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// The model that the agents use, and all that were found.
fn chosen(arguments: &Arguments) -> Result<(Model, Vec<Model>), Failure> {
    if let Some(model) = &arguments.model {
        return Ok((model.clone(), Vec::new()));
    }
    let found = async { Ok(models::found(&arguments.dir, &models::of_process).await) };
    let found = runtime::block_on(found)?;
    let is_asked = is_terminal() && !arguments.json;
    let model = if is_asked && !found.is_empty() { ask(&found)? } else { Model::Recorded };
    Ok((model, found))
}

/// Asks until one of the models is chosen. The end of the input leaves nothing written.
fn ask(found: &[Model]) -> Result<Model, Failure> {
    let offered: Vec<Model> = found.iter().cloned().chain([Model::Recorded]).collect();
    output::message("Which model should the agents use?\n");
    for (number, model) in offered.iter().enumerate() {
        output::message(&format!("  {}) {:<32} {}\n", number + 1, model.name(), model.origin()));
    }
    loop {
        output::message(&format!(
            "Number, or Enter for {}: ",
            found.first().map(Model::name).unwrap_or_default()
        ));
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line);
        if !read.is_ok_and(|bytes| bytes > 0) {
            return Err(Problem::new("nothing written: no model was chosen")
                .hint("name one with --model, for example --model recorded")
                .into());
        }
        let number = if line.trim().is_empty() { Ok(1) } else { line.trim().parse::<usize>() };
        if let Some(model) = number.ok().and_then(|number| offered.get(number.checked_sub(1)?)) {
            return Ok(model.clone());
        }
    }
}

/// What answers, and how to have something else.
fn about(model: &Model, found: &[Model]) -> String {
    if *model != Model::Recorded {
        return format!("\nThe agents use {}.\n", model.name());
    }
    let mut text =
        "\nThe agents play recorded answers: they need no key and no network, and answer only the inputs in \
                    .accord/inputs."
            .to_owned();
    text += "\nTo have your own text answered, use a model:\n";
    if found.is_empty() {
        text += "  accord init --model anthropic          # or openai, with the key in the environment\n\
                 \x20 accord init --model ollama/llama3.2    # after `ollama pull llama3.2`\n\
                 \x20 accord init --model claude-code        # or codex, if it is installed\n";
    }
    let lines: String = found
        .iter()
        .map(|model| format!("  accord init --model {:<28} # {}\n", model.name(), model.origin()))
        .collect();
    text + &lines
}

/// Which files are in the way.
fn existing(folder: &Path, taken: &[PathBuf]) -> String {
    let folder = folder.strip_prefix(".").unwrap_or(folder).display();
    match taken {
        [path] => format!("{} already exists", path.display()),
        _ => format!("{folder} already exists ({} files)", taken.len()),
    }
}

fn write(path: &Path, content: &str) -> Result<(), Problem> {
    let folder = path.parent().unwrap_or(path);
    let is_private = path.file_name().is_some_and(|name| name == FILE_INSIDE);
    fs::create_dir_all(folder)
        .and_then(|()| if is_private { write_private(path, content) } else { fs::write(path, content) })
        .map_err(|error| Problem::new(format!("cannot write {}: {error}", path.display())))
}

/// The configuration may contain keys, so only its owner may read it, also after it is replaced.
fn write_private(path: &Path, content: &str) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    file.write_all(content.as_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// The files of a template's folder, by the names that they get in a project.
    fn on_disk(folder: &Path, prefix: &str, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let name = if name == "gitignore" { ".gitignore".to_owned() } else { name };
            if entry.path().is_dir() {
                on_disk(&entry.path(), &format!("{prefix}{name}/"), found);
            } else {
                found.push(format!("{prefix}{name}"));
            }
        }
    }

    fn folder(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("templates").join(name)
    }

    #[test]
    fn every_file_of_a_template_is_in_its_table() {
        let tables = [
            ("common", template::COMMON),
            ("start", template::START),
            ("code-review", template::CODE_REVIEW),
            ("team", template::TEAM),
        ];
        for (name, table) in tables {
            let mut expected = Vec::new();
            on_disk(&folder(name), "", &mut expected);
            expected.sort();
            let mut named: Vec<&str> = table.iter().map(|(path, _)| *path).collect();
            named.sort();
            assert_eq!(named, expected, "{name}");
        }
    }

    #[test]
    fn only_its_owner_reads_the_configuration() {
        let folder = tempfile::tempdir().unwrap();
        let (settings, agent) =
            (folder.path().join(".accord/config.toml"), folder.path().join(".accord/agent.yaml"));
        for _ in 0..2 {
            write(&settings, "").unwrap();
            write(&agent, "").unwrap();
            assert_eq!(fs::metadata(&settings).unwrap().permissions().mode() & 0o777, 0o600);
            assert_ne!(fs::metadata(&agent).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&settings, fs::Permissions::from_mode(0o644)).unwrap();
        }
    }

    /// Reviewers and writer must use the same fields for findings: those of the schema.
    #[test]
    fn all_reviewers_are_held_to_one_findings_schema() {
        let read = |path: &str| fs::read_to_string(folder("code-review").join(path)).unwrap();
        let shared: Value = serde_json::from_str(&read("schemas/findings.schema.json")).unwrap();
        for agent in ["security", "correctness", "conventions", "writer"] {
            let blueprint =
                serde_saphyr::from_str::<Value>(&read(&format!("agents/{agent}/agent.yaml"))).unwrap();
            let mut schema = blueprint["output_schema"].clone();
            if agent == "writer" {
                // It also names who raised a finding.
                let item = &mut schema["properties"]["findings"]["items"];
                item["properties"].as_object_mut().unwrap().shift_remove("raisedBy").unwrap();
                item["required"].as_array_mut().unwrap().retain(|name| name != "raisedBy");
            }
            for (name, expected) in shared["properties"].as_object().unwrap() {
                assert_eq!(&schema["properties"][name], expected, "{agent}: {name}");
            }
        }
    }
}
