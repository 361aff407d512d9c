//! The parts of a text that are not the answer: reasoning, and text that is not the model's. The
//! marks are in `marks.toml`.

pub(crate) mod disowned;
pub(crate) mod reasoning;
pub(crate) mod tag;

use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Marks {
    reasoning: Reasoning,
    disowned: Disowned,
    turns: Turns,
    pub(crate) answer: Answer,
}

#[derive(Deserialize)]
struct Reasoning {
    names: Vec<String>,
    words: Vec<String>,
    pairs: Vec<(String, String)>,
    shared: Vec<String>,
}

#[derive(Deserialize)]
struct Disowned {
    pairs: Vec<(String, String)>,
    struck_out: Vec<String>,
    tools: Vec<String>,
    results: Vec<String>,
}

#[derive(Deserialize)]
struct Turns {
    begin: Vec<String>,
    end: Vec<String>,
    others: Vec<String>,
    tokens: Vec<String>,
}

/// The text around an answer that is the whole text.
#[derive(Deserialize)]
pub(crate) struct Answer {
    pub(crate) names: Vec<String>,
    fences: Vec<String>,
    pub(crate) end: Vec<String>,
    pub(crate) calls: Vec<String>,
}

impl Answer {
    /// Whether a name is one of those that mark an answer.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Whether a name is one of the call of a tool.
    pub(crate) fn is_call(&self, name: &str) -> bool {
        tag::tag_words(name).iter().any(|word| self.calls.contains(word))
    }

    /// Whether the content of a fence of this name may be the answer. Any other name says what else it is.
    pub(crate) fn is_fence(&self, name: &str) -> bool {
        let is_data = || self.fences.iter().any(|known| known.eq_ignore_ascii_case(name));
        name.is_empty() || self.has_name(name) || is_data() || self.is_call(name)
    }
}

/// The marks, read once.
#[expect(clippy::expect_used, reason = "the table is compiled in, and the tests of this module read it")]
pub(crate) static MARKS: LazyLock<Marks> =
    LazyLock::new(|| toml::from_str(include_str!("marks.toml")).expect("marks.toml is a table of marks"));
