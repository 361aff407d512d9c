//! The requests to a session: the system prompt, the prompt and the delivery of each turn.

use accord_api::agent::{self, Blueprint};
use accord_api::{Origin, RunKind};
use accord_contract::prompt::Form;
use accord_contract::{Outcome, Rejected, Schema, prompt};
use accord_executor::{Delivery, Example, Turn};
use serde_json::Value;

use super::offers::{Offer, Rung};
use crate::assignment::{Assignment, Terms};
use crate::metered::brief;

/// The name of the format, for providers that want one.
const FORMAT_NAME: &str = "result";

/// A request, before it is put into words.
#[derive(Debug, Clone)]
pub(super) enum Ask {
    Task,
    Better {
        rejected: Box<Rejected>,
        answer: String,
        /// Whether it was cut off.
        cut_off: bool,
        /// Whether it was a call of the submit tool.
        submitted: bool,
    },
    /// The rest of an answer.
    Rest,
    /// To continue with the results of the run's children.
    Callback(String),
}

impl Ask {
    /// Whether it is about an answer that repeated the schema, the form or an example.
    pub(super) fn is_echo(&self) -> bool {
        let Self::Better { rejected, .. } = self else { return false };
        matches!(rejected.outcome, Outcome::SchemaEcho | Outcome::ExampleEcho)
    }

    /// The prompt for a rung; `None` for the task itself.
    pub(super) fn schema_text(&self, terms: &Terms, rung: Rung, form: &Form) -> Option<String> {
        match self {
            Self::Task => None,
            Self::Rest => Some(prompt::continue_after_cut()),
            Self::Callback(text) => Some(text.clone()),
            // Prose without a value has no errors to fix: only the call is missing.
            Self::Better { rejected, cut_off: false, submitted: false, .. }
                if rung == Rung::Tool && rejected.outcome == Outcome::NoJson =>
            {
                Some(prompt::nudge_submit())
            }
            Self::Better { rejected, answer, cut_off, .. } => {
                Some(better(terms, rung, form, rejected, answer, *cut_off))
            }
        }
    }
}

fn better(
    terms: &Terms,
    rung: Rung,
    form: &Form,
    rejected: &Rejected,
    answer: &str,
    cut_off: bool,
) -> String {
    let retry = prompt::Retry {
        schema: terms.compiled.schema(),
        form,
        rejected,
        answer: (terms.contract.origin == Origin::Caller).then_some(answer),
        cut_off,
        delivery: match rung {
            Rung::Tool => prompt::Delivery::Tool,
            Rung::Native | Rung::Prompt => prompt::Delivery::Text,
        },
    };
    prompt::retry(&retry, &brief())
}

/// What the agent is asked to do.
pub(super) fn task(assignment: &Assignment) -> String {
    if let Some(retry) = &assignment.retry_prompt {
        return retry.clone();
    }
    let plain = assignment.kind == RunKind::ResumeSession || assignment.agent.parameters_schema.is_none();
    asked(&assignment.parameters, plain)
}

fn asked(parameters: &Value, plain: bool) -> String {
    match parameters.get("prompt").and_then(Value::as_str).filter(|_| plain) {
        Some(text) => text.to_owned(),
        None => prompt::inputs_block(parameters),
    }
}

/// The examples of the agent, asked as the task is asked. Nothing is made up for an agent without: small models copy what they are
/// shown.
pub(super) fn exchanges(agent: &Blueprint) -> Vec<Example> {
    let plain = agent.parameters_schema.is_none();
    let example = |each: &agent::Example| Example {
        prompt: asked(&each.input, plain),
        answer: each.output.to_string(),
    };
    agent.examples.iter().map(example).collect()
}

/// The task under a contract. A caller's contract is described with its task; a re-prompt of the
/// coordinator holds it already.
pub(super) fn task_under(assignment: &Assignment, terms: &Terms, rung: Rung, form: &Form) -> String {
    let told_here = terms.contract.origin == Origin::Caller && rung != Rung::Tool;
    match told_here && assignment.retry_prompt.is_none() {
        true => joined(&task(assignment), &prompt::request_section(form)),
        false => task(assignment),
    }
}

/// The task after so many answers that repeated the form or an example.
pub(super) fn after_echoes(task: String, echoes: u32) -> String {
    if echoes == 0 { task } else { joined(&task, &prompt::after_echo(echoes)) }
}

/// The system prompt without a contract.
pub(super) fn system(assignment: &Assignment) -> String {
    assignment.agent.system_prompt.clone().unwrap_or_default()
}

/// The system prompt under a contract: its last section says what the answer has to be, or how it is delivered.
pub(super) fn system_under(assignment: &Assignment, terms: &Terms, rung: Rung, form: &Form) -> String {
    let section = match (rung, terms.contract.origin) {
        (Rung::Tool, _) => prompt::submit_section(form),
        (_, Origin::Caller) => return system(assignment),
        (_, Origin::Blueprint | Origin::Default) => prompt::system_section(form),
    };
    joined(&system(assignment), &section)
}

fn joined(first: &str, second: &str) -> String {
    match first.trim_end() {
        "" => second.to_owned(),
        first => format!("{first}\n\n{second}"),
    }
}

/// How the answer is to be given on a rung.
pub(super) fn delivery(rung: Rung, offer: Option<&Offer>, schema: &Schema, force: bool) -> Delivery {
    match (rung, offer) {
        (Rung::Native, Some(offer)) => {
            Delivery::Native { name: FORMAT_NAME.to_owned(), schema: offer.lowered.schema.clone() }
        }
        (Rung::Tool, Some(offer)) => Delivery::Tool {
            name: prompt::SUBMIT_TOOL.to_owned(),
            description: prompt::submit_tool_description(schema),
            schema: offer.lowered.schema.clone(),
            strict: offer.strict,
            force,
        },
        _ => Delivery::Text,
    }
}

/// A turn that nothing but its words holds to anything.
pub(super) fn without_contract(system_prompt: String, prompt: String, model: Option<String>) -> Turn {
    Turn { system_prompt, prompt, model, ..Turn::default() }
}
