//! Every executor and every provider of the tables in `accord-domain`, with hostile answers, and with hostile contracts for
//! harmless answers. A run must end with a result or a clear failure.

use accord_domain::agent::ExecutorKind;
use accord_domain::provider::{Dialect, ProviderKind};
use accord_test_support::hostile::{Shape, schemas};
use serde_json::{Value, json};

use super::deck::{self, Deck};
use super::objects::{AGENT, PERSON};
use super::programs::{Program, cassette, server};
use super::providers::{Form, Speaker, answered};
use super::seed;
use super::victim::{By, Victim, recursive};
use super::wire::Request;
use crate::support::Project;

/// What gives the answers of an agent.
#[derive(Debug, Clone, Copy)]
enum Source {
    Provider(Dialect),
    Program(ExecutorKind),
    Person,
    Cassette,
    /// A tool of an MCP server; the model only calls it.
    Server,
}

/// An agent for each executor, and for each provider of the `llm` executor.
fn sources() -> Vec<(String, Source)> {
    let mut sources = Vec::new();
    for kind in ExecutorKind::ALL {
        let name = kind.name().to_owned();
        match kind {
            ExecutorKind::Llm => sources.extend(ProviderKind::ALL.iter().map(|provider| {
                (
                    format!("llm-{}", provider.name().replace('.', "-")),
                    Source::Provider(provider.row().dialect),
                )
            })),
            ExecutorKind::ClaudeCode
            | ExecutorKind::Codex
            | ExecutorKind::Acp
            | ExecutorKind::Process
            | ExecutorKind::External => sources.push((name, Source::Program(kind))),
            ExecutorKind::Human => sources.push((PERSON.to_owned(), Source::Person)),
            ExecutorKind::Replay => sources.push((name, Source::Cassette)),
        }
    }
    sources.push(("server".to_owned(), Source::Server));
    sources
}

/// The agents of the sources.
fn agents(speaker: &str, program: &Program) -> Vec<Value> {
    let llm =
        |provider: &str| json!({"type": "llm", "provider": provider, "model": "m", "base_url": speaker});
    let no_retry = json!({"for_seconds": 0, "max_attempts": 1});
    let mut agents: Vec<Value> = Vec::new();
    for provider in ProviderKind::ALL {
        let name = format!("llm-{}", provider.name().replace('.', "-"));
        agents.push(json!({"name": name, "executor": llm(provider.name()), "retry": no_retry}));
    }
    for (name, source) in sources() {
        match source {
            Source::Program(kind) => agents.push(json!({"name": name, "executor": program.executor(kind)})),
            Source::Cassette => {
                let executor = json!({"type": "replay", "cassette": "cassette.json", "match": "order"});
                agents.push(json!({"name": name, "executor": executor}));
            }
            Source::Server => agents.push(json!({
                "name": name, "executor": llm("anthropic"), "retry": no_retry,
                "mcp_servers": {"s": {"command": program.path()}},
            })),
            Source::Provider(_) | Source::Person => {}
        }
    }
    agents
}

struct Arena {
    victim: Victim,
    speaker: Speaker,
    program: Program,
}

impl Arena {
    async fn start() -> Self {
        let (speaker, program) = (Speaker::start().await, Program::new());
        let agents = agents(&speaker.url, &program);
        let project = move || {
            let project = agents.iter().fold(Project::new(), Project::agent);
            let keys = ProviderKind::ALL.iter().filter_map(|provider| provider.row().key_variable);
            keys.fold(project, |project, name| project.set(name, "k"))
        };
        Self { victim: Victim::with(project).await, speaker, program }
    }

    /// Prepares an answer. False if the source has no such form.
    fn says(&self, source: Source, form: Form, text: &str) -> bool {
        match source {
            Source::Provider(dialect) => {
                let (content_type, body) = answered(dialect, form, text);
                self.speaker.say(content_type, body);
                true
            }
            Source::Program(kind) => self.program.says(kind, form, text),
            Source::Person => form == Form::Arguments,
            Source::Cassette => {
                cassette(self.victim.path(), form, text);
                true
            }
            Source::Server => {
                server(&self.program, form, text);
                let call = r#"{"type":"message","model":"m","content":[{"type":"tool_use","id":"c","name":"s__t","input":{}}],"stop_reason":"tool_use","usage":{}}"#;
                self.speaker.say("application/json", call.to_owned());
                [Form::Text, Form::Arguments].contains(&form)
            }
        }
    }

    /// Runs the agent under a contract. It must end with a result or a clear failure.
    async fn run(
        &mut self,
        agent: &str,
        source: Source,
        what: &str,
        contract: &str,
        options: Value,
        text: &str,
    ) {
        let place = format!("executor {agent}");
        let body = format!(
            r#"{{"agent_name": "{agent}", "prompt": "a", "output_schema": {contract}, "output_schema_options": {options}}}"#
        );
        let is_person = matches!(source, Source::Person);
        let path = if is_person { "/runs" } else { "/runs?wait=300" };
        let Some(run) = self.victim.attack(&place, what, By::Caller, Request::post(path, body)).await else {
            return;
        };
        if run.status >= 400 {
            return;
        }
        if is_person {
            let input = self.victim.input().await;
            let request = Request::post(format!("/inputs/{input}"), format!(r#"{{"answer": {text}}}"#));
            self.victim.attack(&place, what, By::Caller, request).await;
            return;
        }
        // The answer may be nested too deeply to be parsed here.
        let has = |words: &[&str]| words.iter().any(|word| run.text.contains(&format!("\"{word}\"")));
        if !has(&["completed", "failed"]) || has(&["runner_lost", "poisoned", "timed_out"]) {
            let run: String = run.text.chars().take(300).collect();
            self.victim.report.fail(&place, what, &format!("the run ended as {run}"));
        }
    }
}

#[tokio::test]
async fn an_answer_of_a_model_cannot_stop_the_runner() {
    let mut arena = Arena::start().await;
    let (mut deck, mut large) = (Deck::new(deck::small()), deck::large());
    let mut modes = ["strict", "lenient"].iter().cycle();
    let first = usize::try_from(seed() % 3).unwrap();
    for (number, (agent, source)) in sources().into_iter().enumerate() {
        let mut dealt = deck.among(&Form::ALL);
        // They take seconds each: every third source gets one, and the next time another third.
        let form = Form::ALL.get(number % 4).filter(|_| number % 3 == first);
        dealt.extend(form.map(|form| (*form, large.next())));
        for (form, shape) in dealt {
            let text = shape.text();
            if !arena.says(source, form, &text) {
                continue;
            }
            let strategy = if form == Form::Arguments { "tool" } else { "prompt" };
            let options = json!({"strategy": strategy, "max_retries": 0, "validation_mode": modes.next()});
            let what = format!("{form:?}: {}", shape.name);
            arena.run(&agent, source, &what, &recursive().to_string(), options, &text).await;
        }
    }
    arena.victim.conclude("executor").await;
}

#[tokio::test]
async fn a_callers_schema_cannot_stop_the_runner() {
    let mut arena = Arena::start().await;
    let mut deck = Deck::new(schemas(seed()));
    for (agent, source) in sources() {
        for shape in deck.of_each() {
            contract(&mut arena, &agent, source, &shape).await;
        }
    }
    for shape in deck.rest() {
        arena.victim.model_says(&shape.value);
        contract(&mut arena, AGENT, Source::Server, &shape).await;
    }
    arena.victim.conclude("contract").await;
}

/// The schema is the contract, and the value that belongs to it is the answer.
async fn contract(arena: &mut Arena, agent: &str, source: Source, shape: &Shape) {
    let forms = [Form::Text, Form::Raw, Form::Arguments];
    forms.iter().find(|form| arena.says(source, **form, &shape.value));
    // A program answers once, so a second request would wait for it in vain.
    let retries = if matches!(source, Source::Program(_)) { 0 } else { 1 };
    let options = json!({"max_retries": retries});
    arena.run(agent, source, &shape.name, &shape.text(), options, &shape.value).await;
}
