//! Agents and what is wrong with them.

use std::fmt::Write as _;

use accord_api::{AgentContract, AgentSummary, AgentView, Problem, Severity, Source, Type};
use serde_json::Value;

use super::Tone;
use super::text::{self, Times, fields, line, short};
use crate::table;

/// A description is a hint here; `agents show` has all of it.
const DESCRIPTION_CHARACTERS: usize = 60;

/// Agents as a table, and below it what is wrong with them.
pub(crate) fn list(agents: &[AgentSummary]) -> String {
    let columns = ["agent", "status", "executor", "model", "schemas", "source", "description"];
    let spare = ["source", "schemas", "model", "executor"];
    let mut table = table::new(&columns).spare(&spare).free_text("description");
    for agent in agents {
        let (tone, verdict) = verdict(agent.valid, &agent.problems);
        table.add_row([
            Tone::Plain.cell(&line(&agent.name)),
            tone.cell(&verdict),
            Tone::Plain.cell(&line(&agent.executor_type)),
            Tone::Plain.cell(&agent.model.as_deref().map(line).unwrap_or_default()),
            Tone::Plain.cell(contracts(agent)),
            Tone::Plain.cell(source(agent.source)),
            Tone::Plain.cell(&short(&agent.description, DESCRIPTION_CHARACTERS)),
        ]);
    }
    let mut text = table.text();
    let found: String = agents.iter().map(|agent| problems(&agent.problems)).collect();
    if !found.is_empty() {
        let _ = write!(text, "\n{found}");
    }
    text
}

pub(crate) fn view(agent: &AgentView, times: &Times) -> String {
    let AgentSummary { name, description, executor_type, model, tags, .. } = &agent.summary;
    let (tone, verdict) = verdict(agent.summary.valid, &agent.summary.problems);
    let kind = match agent.summary.kind {
        Type::Autonomous => "autonomous",
        Type::Procedural => "procedural",
    };
    let home = agent.file.as_deref().map_or_else(|| "the database".to_owned(), line);
    let part = |name: &str| agent.blueprint.get(name).map(text::json).unwrap_or_default();
    let rows = [
        ("description", line(description)),
        ("type", kind.to_owned()),
        ("executor", line(executor_type)),
        ("model", model.as_deref().map(line).unwrap_or_default()),
        ("tags", line(&tags.join(", "))),
        ("defined in", home),
        ("changed", agent.modified_at.map(|at| times.at(at)).unwrap_or_default()),
        ("hash", line(&agent.hash)),
        ("contract", agent.contract_hash.clone().unwrap_or_default()),
        ("parameters_schema", part("parameters_schema")),
        ("output_schema", part("output_schema")),
        ("default_output_schema", part("default_output_schema")),
        ("invariants", part("invariants")),
    ];
    let mut text = format!("{}  {}\n{}", line(name), tone.paint(&verdict), fields(&rows));
    if !agent.summary.problems.is_empty() {
        let _ = write!(text, "\n{}", problems(&agent.summary.problems));
    }
    text
}

/// What becomes of an agent's contract at each provider.
pub(crate) fn contract(contract: &AgentContract) -> String {
    let retries = contract.max_retries.map(|retries| retries.to_string()).unwrap_or_default();
    let role = match (&contract.output_schema, contract.is_default) {
        (None, _) => "none: the agent returns text",
        (Some(_), true) => "default; callers can replace it",
        (Some(_), false) => "fixed by the agent; callers cannot replace it",
    };
    let rows = [
        ("contract", contract.contract_hash.clone()),
        ("output contract", role.to_owned()),
        ("retries", retries),
        ("parameters_schema", text::json(&contract.parameters_schema)),
        ("output_schema", contract.output_schema.as_ref().map(text::json).unwrap_or_default()),
    ];
    let mut text = fields(&rows);
    for finding in &contract.lint {
        let part = |name: &str| finding.get(name).and_then(Value::as_str).map(line).unwrap_or_default();
        let _ =
            writeln!(text, "{}[{}] {}: {}", part("severity"), part("rule"), part("path"), part("message"));
    }
    let mut table = table::new(&["provider", "supported", "validated by accord only"]).free_text("supported");
    for report in &contract.lowering {
        let (tone, words) = match &report.refusal {
            None => (Tone::Good, "yes".to_owned()),
            Some(refusal) => (Tone::Warning, format!("no: {}", short(refusal, DESCRIPTION_CHARACTERS))),
        };
        table.add_row([
            Tone::Plain.cell(&line(&report.profile)),
            tone.cell(&words),
            Tone::Plain.cell(&text::counted(report.losses.len() as u64, "rule")),
        ]);
    }
    if !contract.lowering.is_empty() {
        let _ = write!(text, "\n{}", table.text());
    }
    text
}

/// Problems as compilers write them, one a line: `file:line:column: error: message`.
pub(crate) fn problems(problems: &[Problem]) -> String {
    written(problems, |severity, name| Tone::from(severity).paint(name))
}

/// The same without colours, for use in other messages.
pub(crate) fn plain_problems(problems: &[Problem]) -> String {
    written(problems, |_, name| name.to_owned())
}

fn written(problems: &[Problem], paint: impl Fn(Severity, &str) -> String) -> String {
    let mut text = String::new();
    for problem in problems {
        let mut place = problem.file.as_deref().map(|file| format!("{}:", line(file))).unwrap_or_default();
        for number in [problem.line, problem.column].into_iter().flatten() {
            let _ = write!(place, "{number}:");
        }
        let gap = if place.is_empty() { "" } else { " " };
        let name = match problem.severity {
            Severity::Error => "error:",
            Severity::Warning => "warning:",
        };
        let path = if problem.path == "$" { String::new() } else { format!(" (at {})", line(&problem.path)) };
        let severity = paint(problem.severity, name);
        let _ = writeln!(text, "{place}{gap}{severity} {}{path}", line(&problem.message));
    }
    text
}

/// In one word whether an agent can be used.
pub(crate) fn verdict(valid: bool, problems: &[Problem]) -> (Tone, String) {
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    let warnings = problems.len() - errors;
    match (valid, warnings) {
        (false, _) => (Tone::Bad, text::counted(errors.max(1) as u64, "error")),
        (true, 0) => (Tone::Good, "ok".to_owned()),
        (true, count) => (Tone::Warning, text::counted(count as u64, "warning")),
    }
}

fn contracts(agent: &AgentSummary) -> &'static str {
    match (agent.has_parameters_schema, agent.has_output_schema) {
        (true, true) => "input, output",
        (true, false) => "input",
        (false, true) => "output",
        (false, false) => "",
    }
}

pub(super) fn source(source: Source) -> &'static str {
    match source {
        Source::File => "file",
        Source::Store => "store",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(name: &str, valid: bool, problems: Vec<Problem>) -> AgentSummary {
        AgentSummary {
            name: name.to_owned(),
            description: "Reads\nthings".to_owned(),
            kind: Type::Autonomous,
            executor_type: "llm".to_owned(),
            model: Some("small".to_owned()),
            tags: vec!["a".to_owned()],
            source: Source::File,
            valid,
            has_parameters_schema: false,
            has_output_schema: true,
            problems,
        }
    }

    fn problem(severity: Severity, line: Option<u32>) -> Problem {
        Problem {
            severity,
            path: "$.output_schema.type".to_owned(),
            message: "'objekt' is no type".to_owned(),
            file: line.map(|_| ".accord/agents/b/agent.yaml".to_owned()),
            line,
            column: line.map(|_| 9),
        }
    }

    #[test]
    fn broken_agents_are_listed_with_their_problems() {
        let agents = [
            summary("a", true, Vec::new()),
            summary("b", false, vec![problem(Severity::Error, Some(7))]),
            summary("c", true, vec![problem(Severity::Warning, None)]),
        ];
        insta::assert_snapshot!(anstream::adapter::strip_str(&list(&agents)).to_string(), @r#"
        AGENT  STATUS     EXECUTOR  MODEL  SCHEMAS  SOURCE  DESCRIPTION
        a      ok         llm       small  output   file    Reads\nthings
        b      1 error    llm       small  output   file    Reads\nthings
        c      1 warning  llm       small  output   file    Reads\nthings

        .accord/agents/b/agent.yaml:7:9: error: 'objekt' is no type (at $.output_schema.type)
        warning: 'objekt' is no type (at $.output_schema.type)
        "#);
    }

    #[test]
    fn an_agent_shows_its_contracts() {
        let agent = AgentView {
            summary: summary("a", true, Vec::new()),
            blueprint: serde_json::json!({"name": "a", "output_schema": {"type": "object"}}),
            hash: "sha256:ab".to_owned(),
            contract_hash: Some("01-02".to_owned()),
            file: Some(".accord/agents/a/agent.yaml".to_owned()),
            created_at: None,
            modified_at: None,
        };
        let text = view(&agent, &Times::fixed("2026-11-15T10:05:00Z", false));
        insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @r#"
        a  ok
          description  Reads\nthings
          type         autonomous
          executor     llm
          model        small
          tags         a
          defined in   .accord/agents/a/agent.yaml
          hash         sha256:ab
          contract     01-02
          output_schema
            {
              "type": "object"
            }
        "#);
    }
}
