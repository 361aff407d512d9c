//! Pages and their cursors.

use accord_store::{Page, PageRequest, StoreError};

use crate::fault::{Done, Fault};

/// Where a page of a list by time ended: the time and the number of its last row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) at: i64,
    pub(crate) seq: i64,
}

/// Before everything: the first page of a list begins here.
const NEWEST: Position = Position { at: i64::MAX, seq: i64::MAX };

impl Position {
    /// After which row the page begins.
    pub(crate) fn of(page: &PageRequest) -> Done<Self> {
        let Some(cursor) = &page.cursor else { return Ok(NEWEST) };
        let parts = cursor.split_once('.').and_then(|(at, seq)| Some((at.parse().ok()?, seq.parse().ok()?)));
        parts.map(|(at, seq)| Self { at, seq }).ok_or_else(|| broken(cursor))
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.at, self.seq)
    }
}

/// What somebody made up is not a cursor.
pub(crate) fn broken(cursor: &str) -> Fault {
    /// Enough to recognise it by.
    const SHOWN: usize = 64;
    StoreError::NoSuch { kind: "cursor", name: cursor.chars().take(SHOWN).collect() }.into()
}

/// How many are on a page: at least one, or there would be no end of pages.
pub(crate) fn size(page: &PageRequest) -> usize {
    usize::try_from(page.limit).unwrap_or(usize::MAX).max(1)
}

/// A page from its items and perhaps one more, which shows that there is another page.
pub(crate) fn cut<T>(mut items: Vec<(String, T)>, size: usize) -> Page<T> {
    let more = items.len() > size;
    items.truncate(size);
    let next = if more { items.last().map(|(cursor, _)| cursor.clone()) } else { None };
    Page { items: items.into_iter().map(|(_, item)| item).collect(), next }
}
