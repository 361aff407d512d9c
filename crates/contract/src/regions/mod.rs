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
    pub(crate) tags: Vec<String>,
    pub(crate) end: Vec<String>,
    pub(crate) calls: Vec<String>,
}

/// The marks, read once.
#[expect(clippy::expect_used, reason = "the table is compiled in, and the tests of this module read it")]
pub(crate) static MARKS: LazyLock<Marks> =
    LazyLock::new(|| toml::from_str(include_str!("marks.toml")).expect("marks.toml is a table of marks"));
