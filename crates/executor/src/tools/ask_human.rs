//! Asks a person. The call ends the turn; the answer is its result when the run continues.

use serde::Deserialize;
use serde_json::{Value, json};

/// The name of the tool.
pub(crate) const NAME: &str = "ask_human";

/// More choices than this are no choice.
const MOST_CHOICES: usize = 50;

pub(super) fn spec() -> (String, Value) {
    let description = "Asks a person and returns the answer. Use it if you cannot decide or find out something yourself. The \
                       answer may take hours.";
    let properties = json!({
        "question": {"type": "string", "description": "The question, with everything that the person needs to know to answer it."},
        "choices": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The possible answers. Leave it out if any text is an answer.",
        },
    });
    (description.to_owned(), properties)
}

/// The arguments of a call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) choices: Vec<String>,
}

impl Question {
    /// Reads the arguments, or says what is wrong with them.
    pub(crate) fn read(arguments: &Value) -> Result<Self, String> {
        let question = Self::deserialize(arguments).map_err(|error| error.to_string())?;
        match question.choices.len() <= MOST_CHOICES && !question.question.trim().is_empty() {
            true => Ok(question),
            false => Err(format!("expected a question, and at most {MOST_CHOICES} choices")),
        }
    }
}
