//! Searching and counting long lists, with a bound on how many rows are looked at.

use std::collections::HashMap;

use accord_domain::input::folded;
use accord_domain::usage::Usage;
use jiff::Timestamp;

/// A search in a list: all words occur in the names or the input.
///
/// Its work is bounded by rows and not by matches, because what is rare would be looked for in all of them: of the rows that the
/// other filters let through, the first [`Search::rows`] of a page are looked at. Where there are more, the page has a cursor that
/// continues after the last of them, whether or not anything was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// As [`accord_domain::input::folded`] writes them.
    pub words: Vec<String>,
    /// How many rows are looked at, at least 1.
    pub rows: u32,
}

impl Search {
    /// Searches for the words of a text; `None` if it has none.
    pub fn new(text: &str, rows: u32) -> Option<Self> {
        let words: Vec<String> = folded(text).split(' ').map(str::to_owned).collect();
        let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
        (!words.is_empty()).then_some(Self { words, rows })
    }
}

/// How many items of a list match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// A lower bound, unless `exact`.
    pub matching: u64,
    /// Whether all were counted.
    pub exact: bool,
}

impl Count {
    /// The count of a list of which one row more than `most` would be looked at.
    pub fn of(looked_at: u64, matching: u64, most: u32) -> Self {
        let most = u64::from(most);
        Self { matching: matching.min(most), exact: looked_at <= most }
    }
}

/// Additional fields of a run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunSummary {
    /// [`accord_domain::input::InputSummary::preview`].
    pub preview: String,
    /// The model of the last attempt; else the one that was asked for, else the blueprint's.
    pub model: Option<String>,
    /// How many attempts were judged.
    pub attempts: u32,
}

/// Additional fields of a session in a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionSummary {
    /// Of the input that it was started with.
    pub preview: String,
    /// Of its latest run.
    pub model: Option<String>,
    /// Of its latest run.
    pub attempts: u32,
    /// Of its latest run.
    pub usage: Usage,
    /// When its latest run was started.
    pub started_at: Option<Timestamp>,
    /// When its latest run was over.
    pub finished_at: Option<Timestamp>,
}

/// Summaries by id; unknown ids are missing.
pub type Summaries<I, S> = HashMap<I, S>;
