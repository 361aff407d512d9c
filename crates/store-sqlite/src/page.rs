//! Pages and their cursors.

use std::fmt::Write as _;

use accord_store::{Page, PageRequest, StoreError};
use rusqlite::{Connection, Row, ToSql};

use crate::fault::{Done, Fault};
use crate::value::count;

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

/// What is asked of rows: a column with its comparison, and the value, where one is given.
pub(crate) type Wanted<'a> = (&'static str, Option<&'a dyn ToSql>);

/// The value, where one is given.
pub(crate) fn value<T: ToSql>(value: &Option<T>) -> Option<&dyn ToSql> {
    value.as_ref().map(|value| value as &dyn ToSql)
}

/// A page of a list by time, the newest first, of what is selected from the table with this alias.
pub(crate) fn newest_first<T>(
    connection: &Connection,
    select: &str,
    alias: &str,
    wanted: &[Wanted<'_>],
    page: &PageRequest,
    read: impl Fn(&Row<'_>) -> Done<(Position, T)>,
) -> Done<Page<T>> {
    let Position { at, seq } = Position::of(page)?;
    let size = size(page);
    let limit = count(size).saturating_add(1);
    let mut sql = format!("{select} WHERE ({alias}.created_at, {alias}.seq) < (?1, ?2)");
    let mut values: Vec<&dyn ToSql> = vec![&at, &seq, &limit];
    for (condition, value) in wanted {
        if let Some(value) = value {
            values.push(*value);
            // Writing to a string does not fail.
            let _ = write!(sql, " AND {condition} ?{}", values.len());
        }
    }
    let _ = write!(sql, " ORDER BY {alias}.created_at DESC, {alias}.seq DESC LIMIT ?3");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(values.as_slice())?;
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        let (position, item) = read(row)?;
        items.push((position.to_string(), item));
    }
    Ok(cut(items, size))
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
