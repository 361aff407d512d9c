//! Every command of the command line, with hostile files, values, standard input and project files.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use accord_test_support::hostile::{Shape, conditions, documents, schemas, settings, templates, values};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::OnceCell;

use super::deck::{self, Deck, large, small};
use super::help::{Argument, Command, commands};
use super::meter::Meter;
use super::objects::{AGENT, WORKFLOW};
use super::report::{Cost, Report};
use super::victim::{MOST_CPU, MOST_MEMORY, Victim};
use super::wire::{Request, send};
use super::{quoted, seed};
use crate::support::{Project, accord};

/// A command that has not used CPU time for so long waits for something, and is asked to end.
const REST: Duration = Duration::from_millis(600);

/// How long it may take to end then. A machine that does much else gives it little of that.
const TIME_TO_END: Duration = Duration::from_secs(120);

const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The longest argument that the system takes is 128 KiB.
const MOST_INLINE: usize = 100_000;

/// One start of the binary.
struct Trial {
    place: String,
    what: String,
    folder: PathBuf,
    key: Option<String>,
    arguments: Vec<String>,
    stdin: String,
}

/// The memory of an idle coordinator, which most commands start.
static IDLE: OnceCell<u64> = OnceCell::const_new();

async fn idle() -> u64 {
    let host = Project::new().up().await;
    let resident = Meter::new(host.id()).resident().unwrap();
    host.kill().await;
    resident
}

/// Runs a command to its end: with a documented exit code and within the limits, or the error describes what happened.
async fn ends(trial: &Trial) -> Result<Cost, String> {
    let idle = *IDLE.get_or_init(idle).await;
    let mut command = accord(&trial.folder);
    command.args(&trial.arguments).envs(trial.key.as_ref().map(|key| ("ACCORD_KEY", key)));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let meter = Meter::new(child.id().unwrap());
    let (mut stdin, mut stderr) = (child.stdin.take().unwrap(), child.stderr.take().unwrap());
    let input = trial.stdin.clone();
    // A command that ends without reading its input closes it.
    tokio::spawn(async move { stdin.write_all(input.as_bytes()).await });
    let said = tokio::spawn(async move {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text).await;
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut cost = Cost { cpu: Duration::ZERO, memory: 0, other: None };
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let (mut changed, mut asked) = (Instant::now(), None);
    let status = loop {
        tokio::select! {
            status = child.wait() => break status.unwrap(),
            _ = looks.tick() => {}
        }
        let cpu = meter.cpu().unwrap_or(cost.cpu);
        cost.memory = cost.memory.max(meter.peak().unwrap_or_default().saturating_sub(idle));
        if cpu != cost.cpu || meter.is_running() {
            changed = Instant::now();
        }
        cost.cpu = cpu;
        if cost.cpu > *MOST_CPU || cost.memory > MOST_MEMORY {
            child.kill().await.unwrap();
            return Err(format!("used {:?} of CPU and {} MiB", cost.cpu, cost.memory >> 20));
        }
        if asked.is_none() && changed.elapsed() > REST {
            let id = child.id().unwrap_or_default().to_string();
            let _ = tokio::process::Command::new("kill")
                .args(["-TERM", &id])
                .stderr(Stdio::null())
                .status()
                .await;
            asked = Some(Instant::now());
        }
        if asked.is_some_and(|asked| asked.elapsed() > TIME_TO_END) {
            child.kill().await.unwrap();
            return Err("did not end when asked to".to_owned());
        }
    };
    let said = said.await.unwrap();
    let is_known = matches!(status.code(), Some(0..=4)) || asked.is_some() && status.code().is_none();
    if is_known && !said.contains("panicked") {
        Ok(cost)
    } else {
        Err(format!("{status}: {}", said.chars().take(300).collect::<String>()))
    }
}

async fn attempt(report: &mut Report, trial: Trial) {
    match ends(&trial).await {
        Ok(cost) => report.note(&trial.place, &trial.what, cost),
        Err(error) => report.fail(&trial.place, &trial.what, &format!("{error} ({:?})", trial.arguments)),
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A document that is harmless for every argument that takes a file.
const HARMLESS: &str = "harmless.json";

/// A value that the argument accepts, if possible.
fn harmless(command: &Command, argument: &Argument, objects: &[(&str, String)]) -> String {
    let is_removal = command.path.iter().any(|word| word == "rm");
    let known = objects.iter().find(|(name, _)| *name == argument.value).map(|(_, value)| value.clone());
    match (argument.first_choice(), argument.value.as_str()) {
        (Some(choice), _) => choice.to_owned(),
        _ if argument.is_file() => if argument.value == "DIR" { "." } else { HARMLESS }.to_owned(),
        (_, "N" | "SECONDS" | "STEP" | "FROM") => "1".to_owned(),
        (_, "KEY=VALUE") => "a=1".to_owned(),
        (_, "JSON") => "{}".to_owned(),
        (_, "TIME") => "1h".to_owned(),
        (_, "NAME" | "AGENT" | "WORKFLOW") if is_removal => "spare".to_owned(),
        (_, "WORKFLOW") => WORKFLOW.to_owned(),
        (_, "NAME") if command.path[0] == "workflows" => WORKFLOW.to_owned(),
        (_, "NAME" | "AGENT") => AGENT.to_owned(),
        _ => known.unwrap_or_else(|| "a".to_owned()),
    }
}

/// The command line with this value for one argument, and what the others need.
fn line(command: &Command, objects: &[(&str, String)], attacked: Option<(&Argument, String)>) -> Vec<String> {
    let mut line = command.path.clone();
    let is_attacked = |argument: &Argument| attacked.as_ref().is_some_and(|(other, _)| *other == argument);
    let used = command.arguments.iter().filter(|argument| argument.is_required || is_attacked(argument));
    let (positional, flags): (Vec<&Argument>, Vec<&Argument>) =
        used.partition(|argument| argument.flag.is_none());
    for argument in flags.into_iter().chain(positional) {
        let value = match &attacked {
            Some((other, value)) if *other == argument => value.clone(),
            _ => harmless(command, argument, objects),
        };
        match &argument.flag {
            Some(flag) => line.push(format!("{flag}={value}")),
            // The value may begin with a dash.
            None if value.starts_with('-') && value != "-" => line.extend(["--".to_owned(), value]),
            None => line.push(value),
        }
    }
    line
}

/// The text as an argument.
fn inline(argument: &Argument, text: &str) -> String {
    let text: String = text.chars().filter(|character| *character != '\0').take(MOST_INLINE / 4).collect();
    if argument.value == "KEY=VALUE" { format!("a={text}") } else { text }
}

fn agent_with(schema: &str) -> String {
    format!(
        r#"{{"name": "shaped", "type": "procedural", "executor": {{"type": "process", "command": "true"}},
            "parameters_schema": {schema}, "output_schema": {schema}}}"#
    )
}

fn workflow_with(template: &str) -> String {
    let nodes = json!({
        "input": {"type": "input"}, "one": {"type": "agent", "agent": AGENT, "prompt": "TEMPLATE"},
        "output": {"type": "output", "value": "TEMPLATE"},
    });
    let edges = json!([{"from": "input", "to": "one"}, {"from": "one", "to": "output", "when": "CONDITION"}]);
    let document = json!({"name": "shaped", "nodes": nodes, "edges": edges}).to_string();
    document.replace(r#""TEMPLATE""#, &quoted(template)).replace("CONDITION", "true")
}

fn check_with(condition: &str) -> String {
    let check = json!({"type": "check", "assert": condition.replace("output", "input"), "message": "no"});
    let nodes = json!({"input": {"type": "input"}, "check": check, "output": {"type": "output"}});
    let edges =
        json!([{"from": "input", "to": "check"}, {"from": "check", "to": "output", "when": condition}]);
    json!({"name": "shaped", "nodes": nodes, "edges": edges}).to_string()
}

/// Agents and workflows around schemas, templates and conditions.
fn definitions() -> Vec<Shape> {
    let agents = schemas(seed()).into_iter().map(|shape| shape.map(|text| agent_with(&text)));
    let workflows = templates().into_iter().map(|shape| shape.map(|text| workflow_with(&text)));
    let checks = conditions().into_iter().map(|shape| shape.map(|text| check_with(&text)));
    agents.chain(workflows).chain(checks).collect()
}

/// The coordinator that the commands talk to, and what they may name.
async fn surroundings() -> (Victim, Vec<(&'static str, String)>) {
    let mut victim = Victim::start().await;
    write(&victim.path().join(HARMLESS), r#"{"type": "object"}"#);
    let (run, session) = victim.finished_run().await;
    let url = format!("http://{}", victim.host());
    (victim, vec![("RUN", run), ("SESSION", session), ("URL", url)])
}

#[tokio::test]
async fn no_file_stops_a_command() {
    let (mut victim, objects) = surroundings().await;
    let mut files = Deck::new([schemas(seed()), small(), documents(), values()].concat());
    let (mut defined, mut large) = (Deck::new(definitions()), large());
    let file = victim.path().join("hostile.json");
    for command in commands().await {
        let arguments: Vec<Argument> =
            command.arguments.iter().filter(|each| each.is_file()).cloned().collect();
        let mut dealt = files.among(&arguments);
        let mut others = vec![defined.next(), defined.next(), large.next()].into_iter();
        dealt.extend(arguments.iter().cycle().map_while(|argument| Some((argument.clone(), others.next()?))));
        for (argument, shape) in dealt {
            write(&file, &shape.text());
            // A value that conforms to the schema, or nearly.
            write(
                &victim.path().join(HARMLESS),
                if shape.value.is_empty() { r#"{"type": "object"}"# } else { &shape.value },
            );
            let arguments = line(&command, &objects, Some((&argument, file.display().to_string())));
            let (folder, key) = (victim.path().to_owned(), victim.admin_key());
            let what = format!("{}: {}", argument.name(), shape.name);
            let trial =
                Trial { place: command.name(), what, folder, key, arguments, stdin: shape.value.clone() };
            attempt(&mut victim.report, trial).await;
            victim.survived(&command.name(), &shape.name).await;
        }
    }
    victim.conclude("command").await;
}

#[tokio::test]
async fn no_value_and_no_input_stops_a_command() {
    let (mut victim, objects) = surroundings().await;
    let mut texts = Deck::new([templates(), conditions(), values()].concat());
    let mut inputs = Deck::new([small(), documents()].concat());
    let commands = commands().await;
    let mut trials = Vec::new();
    for command in &commands {
        for argument in command.arguments.iter().filter(|argument| !argument.is_file()) {
            let places = [argument.clone()];
            let (_, shape) = texts.among(&places).swap_remove(0);
            let arguments = line(command, &objects, Some((argument, inline(argument, &shape.text()))));
            trials.push((command, format!("{}: {}", argument.name(), shape.name), arguments, String::new()));
        }
    }
    for (command, shape) in inputs.among(&commands) {
        let reads = command.arguments.iter().find(|argument| argument.help.contains("stdin"));
        let arguments = line(&command, &objects, reads.map(|argument| (argument, "-".to_owned())));
        let command = commands.iter().find(|other| other.path == command.path).unwrap();
        trials.push((command, format!("stdin: {}", shape.name), arguments, shape.text()));
    }
    for (command, what, arguments, stdin) in trials {
        let (folder, key) = (victim.path().to_owned(), victim.admin_key());
        let trial = Trial { place: command.name(), what: what.clone(), folder, key, arguments, stdin };
        attempt(&mut victim.report, trial).await;
        victim.survived(&command.name(), &what).await;
    }
    victim.conclude("command").await;
}

/// The files of a project, as paths with their texts.
fn project_files() -> Vec<(&'static str, Shape)> {
    let yaml = documents().into_iter();
    let json = small().into_iter();
    let (agents, workflows) = (schemas(seed()).into_iter(), templates().into_iter());
    let agents =
        agents.map(|shape| (".accord/agents/shaped/agent.json", shape.map(|text| agent_with(&text))));
    let workflows =
        workflows.map(|shape| (".accord/workflows/shaped.json", shape.map(|text| workflow_with(&text))));
    let checks = conditions()
        .into_iter()
        .map(|shape| (".accord/workflows/shaped.json", shape.map(|text| check_with(&text))));
    let settings = settings().into_iter().map(|shape| ("accord.toml", shape));
    let read = yaml.flat_map(|shape| {
        [(".accord/agents/shaped/agent.yaml", shape.clone()), (".accord/workflows/shaped.yaml", shape)]
    });
    let json = json.flat_map(|shape| {
        [(".accord/agents/shaped/agent.json", shape.clone()), (".accord/workflows/shaped.json", shape)]
    });
    read.chain(json).chain(agents).chain(workflows).chain(checks).chain(settings).collect()
}

/// Every command in a project with a hostile file, without a coordinator that runs.
#[tokio::test]
async fn no_file_of_a_project_stops_a_command() {
    let mut report = Report::default();
    let files = project_files();
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    // The shapes carry the number of their path through the deck.
    let numbered = |(number, (_, shape)): (usize, &(&str, Shape))| {
        let mut shape = shape.clone();
        shape.value = number.to_string();
        shape
    };
    let shapes = files.iter().enumerate().map(numbered);
    let mut deck = Deck::new(shapes.collect());
    let commands = commands().await;
    // These read everything, and are quick.
    let readers = ["agents validate", "workflows validate", "doctor", "types"];
    let mut dealt = Vec::new();
    for reader in commands.iter().filter(|command| readers.contains(&command.name().as_str())) {
        dealt.extend(deck.of_each().into_iter().map(|shape| (reader.clone(), shape)));
    }
    // Most commands start a coordinator of their own, which takes a while: a third of them, and the next time another.
    let first = usize::try_from(seed() % 3).unwrap();
    dealt.extend(commands.iter().skip(first).step_by(3).map(|command| (command.clone(), deck.next())));
    for (command, shape) in dealt {
        let project = Project::new();
        write(&project.path().join(paths[shape.value.parse::<usize>().unwrap()]), &shape.text());
        write(&project.path().join(HARMLESS), "{}");
        let mut arguments = line(&command, &[], None);
        if command.path == ["up"] || command.path == ["coordinator"] {
            arguments.push("--listen=127.0.0.1:0".to_owned());
        }
        let what = format!("{}: {}", paths[shape.value.parse::<usize>().unwrap()], shape.name);
        let folder = project.path().to_owned();
        let trial = Trial { place: command.name(), what, folder, key: None, arguments, stdin: String::new() };
        attempt(&mut report, trial).await;
    }
    report.conclude("project");
}

/// A project full of hostile files starts and answers requests.
#[tokio::test]
async fn no_file_stops_the_start() {
    let (project, is_used) = (Project::new(), deck::files());
    for (number, (path, shape)) in project_files().into_iter().enumerate() {
        if path != "accord.toml" && is_used(number) && shape.text().len() < 1_000_000 {
            write(&project.path().join(path.replace("shaped", &format!("shaped-{number}"))), &shape.text());
        }
    }
    let host = project.up().await;
    // Listing the files makes the coordinator read them.
    for path in ["/workflows?limit=500", "/agents?limit=500", "/health"] {
        let answer = send(host.url.trim_start_matches("http://"), &Request::new("GET", path)).await;
        assert!(answer.as_ref().is_ok_and(|answer| answer.status == 200), "{path}: {answer:?}");
    }
    host.end().await;
}
