//! Prompts: the output format, the errors of a rejected answer, the inputs.
//!
//! All texts are in `templates.toml`. The code here selects and escapes the content: whatever an
//! answer, a schema or a caller contains, a prompt has exactly the tags and fences of its template.

mod callback;
mod form;
mod misplaced;
mod safe;
mod template;

#[cfg(test)]
mod tests;

use accord_json::Meter;
use minijinja::context;
use serde_json::Value;

pub use callback::{ChildEnd, ChildResult, ChildText, agent_callback, agent_output, without_output_tags};
pub use form::Form;

use crate::schema::{Schema, within_one_budget};
use crate::verdict::{Outcome, Rejected};

/// The tool that takes the result when a model delivers it by a call.
pub const SUBMIT_TOOL: &str = "submit_result";

const RETRY_TAG: &str = "output-validation-error";
const INPUT_TAG: &str = "input";

/// The last section of the system prompt, for the contract of a blueprint.
pub fn system_section(form: &Form) -> String {
    template::render("system_section", context! { form => form.text() })
}

/// The section appended to the prompt of one run, for the contract of its caller.
pub fn request_section(form: &Form) -> String {
    template::render("request_section", context! { form => form.text() })
}

/// The last section of the system prompt when the result is delivered by calling [`SUBMIT_TOOL`].
pub fn submit_section(form: &Form) -> String {
    template::render("submit_section", context! { tool => SUBMIT_TOOL, form => form.text() })
}

/// The description of [`SUBMIT_TOOL`], with what the schema says of itself.
pub fn submit_tool_description(schema: &Schema) -> String {
    let about = ["description", "title"]
        .into_iter()
        .find_map(|keyword| schema.document().get(keyword)?.as_str())
        .map(|text| safe::line(text).trim_end_matches('.').to_owned());
    template::render("submit_tool_description", context! { about })
}

/// How an answer is to be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// As the text of the answer.
    Text,
    /// By calling [`SUBMIT_TOOL`].
    Tool,
}

/// An answer that was not accepted, for the re-prompt.
#[derive(Debug, Clone, Copy)]
pub struct Retry<'a> {
    /// The expected schema.
    pub schema: &'a Schema,
    /// The form in which the answer is written.
    pub form: &'a Form,
    /// The errors of the answer.
    pub rejected: &'a Rejected,
    /// The answer, if it is to be shown again (callers' contracts).
    pub answer: Option<&'a str>,
    /// Whether the provider cut the answer off.
    pub cut_off: bool,
    /// How the next answer is to be given.
    pub delivery: Delivery,
}

/// The message that asks for a better answer, in `<output-validation-error>` tags. Hints that take too much to find are left
/// out.
pub fn retry(retry: &Retry<'_>, meter: &Meter) -> String {
    let Retry { schema, form, rejected, answer, cut_off, delivery } = *retry;
    let violations = &rejected.violations;
    let errors: Vec<String> = violations
        .errors
        .iter()
        .map(|error| safe::tagged(&safe::line(&error.to_string()), RETRY_TAG))
        .collect();
    let candidate = rejected.candidate.as_ref().and_then(|candidate| candidate.value.as_ref());
    let misplaced = match (rejected.outcome, candidate) {
        (Outcome::SchemaInvalid, Some(value)) => {
            let hints = within_one_budget(meter, || misplaced::hints(schema, value));
            hints.iter().map(|hint| safe::tagged(hint, RETRY_TAG)).collect()
        }
        _ => Vec::new(),
    };
    let value = match (rejected.outcome, candidate) {
        (Outcome::Unconfirmed, Some(value)) => Some(safe::json(value, RETRY_TAG)),
        _ => None,
    };
    let answer = answer.map(|text| safe::tagged(&safe::shortened(text), RETRY_TAG));
    template::render(
        "retry",
        context! {
            outcome => if cut_off { "cut_off" } else { outcome_name(rejected.outcome) },
            errors,
            more => violations.more,
            misplaced,
            value_fence => value.as_deref().map(safe::fence),
            value,
            answer_fence => answer.as_deref().map(safe::fence),
            answer,
            form => form.text(),
            tool => (delivery == Delivery::Tool).then_some(SUBMIT_TOOL),
        },
    )
}

fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NoJson => "no_json",
        Outcome::ParseError => "parse_error",
        Outcome::SchemaInvalid => "schema_invalid",
        Outcome::InvariantFailed => "invariant_failed",
        Outcome::SchemaEcho => "schema_echo",
        Outcome::ExampleEcho => "example_echo",
        Outcome::Ambiguous => "ambiguous",
        Outcome::Embedded => "embedded",
        Outcome::Unconfirmed => "unconfirmed",
    }
}

/// For a model that ended its turn in prose instead of calling [`SUBMIT_TOOL`].
pub fn nudge_submit() -> String {
    template::render("nudge_submit", context! { tool => SUBMIT_TOOL })
}

/// What is added to a task that is asked afresh after so many answers that repeated the form, the schema or an example. It differs from
/// time to time, because an identical request gets an identical answer. What was repeated is not quoted: it would be repeated again.
pub fn after_echo(echoes: u32) -> String {
    template::render("after_echo", context! { echoes })
}

/// For an answer that was cut off and is to be continued in place.
pub fn continue_after_cut() -> String {
    template::render("continue_after_cut", context! {})
}

/// The `<inputs>` block: strings as they are, other values as JSON.
pub fn inputs_block(parameters: &Value) -> String {
    let input = |name: &str, value: &Value| {
        let text = match value {
            Value::String(text) => text.clone(),
            other => safe::indented(other),
        };
        context! { name => safe::attribute(name), value => safe::tagged(&text, INPUT_TAG) }
    };
    let inputs: Vec<minijinja::Value> = match parameters {
        Value::Object(members) => members.iter().map(|(name, value)| input(name, value)).collect(),
        other => vec![input("input", other)],
    };
    template::render("inputs", context! { inputs })
}
