//! Pages and their cursors.

use std::fmt::Write as _;

use accord_store::{Count, MOST_PAGE_BYTES, Page, PageRequest, Search, StoreError};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, ToSql};

use crate::error::{DbError, DbResult};
use crate::value::{self, count};

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
    pub(crate) fn of(page: &PageRequest) -> DbResult<Self> {
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

/// Rejects a cursor that was made up.
pub(crate) fn broken(cursor: &str) -> DbError {
    /// Enough to recognise it by.
    const SHOWN: usize = 64;
    StoreError::NoSuch { kind: "cursor", name: cursor.chars().take(SHOWN).collect() }.into()
}

/// A column with its comparison, and the value, if there is one. The value is where the condition has a `?`, else at its end.
pub(crate) type ColumnFilter<'a> = (&'static str, Option<&'a dyn ToSql>);

pub(crate) fn bound<T: ToSql>(value: &Option<T>) -> Option<&dyn ToSql> {
    value.as_ref().map(|value| value as &dyn ToSql)
}

/// A list by time, the newest first.
pub(crate) struct List<'a> {
    /// The columns that are read.
    pub(crate) columns: &'a str,
    pub(crate) source: &'a str,
    /// The name of the table whose rows are listed.
    pub(crate) alias: &'a str,
    pub(crate) conditions: &'a [ColumnFilter<'a>],
    /// The text of a row that is searched.
    pub(crate) searched: &'a str,
    pub(crate) search: Option<&'a Search>,
}

impl<'a> List<'a> {
    /// Whether a row has all words, and the words.
    fn matches(&self, values: &mut Vec<&'a dyn ToSql>) -> String {
        let mut sql = "1".to_owned();
        for word in self.search.iter().flat_map(|search| &search.words) {
            values.push(word);
            // Writing to a string does not fail.
            let _ = write!(sql, " AND instr(coalesce({}, ''), ?{}) > 0", self.searched, values.len());
        }
        sql
    }

    fn narrow(&self, sql: &mut String, values: &mut Vec<&'a dyn ToSql>) {
        for (condition, value) in self.conditions {
            if let Some(value) = value {
                values.push(*value);
                let value = format!("?{}", values.len());
                let _ = match condition.contains('?') {
                    true => write!(sql, " AND {}", condition.replace('?', &value)),
                    false => write!(sql, " AND {condition} {value}"),
                };
            }
        }
    }

    /// The rows after a position, whose values are the first three.
    fn page_sql(&self, values: &mut Vec<&'a dyn ToSql>) -> String {
        let List { columns, source, alias, .. } = self;
        let matches = self.matches(values);
        let mut sql = format!(
            "SELECT {columns}, {matches} AS matches, {alias}.created_at AS listed_at, {alias}.seq AS listed_seq \
             FROM {source} WHERE ({alias}.created_at, {alias}.seq) < (?1, ?2)"
        );
        self.narrow(&mut sql, values);
        let _ = write!(sql, " {} LIMIT ?3", self.order());
        sql
    }

    /// How many rows there are and how many match, of as many as the first value says.
    fn count_sql(&self, values: &mut Vec<&'a dyn ToSql>) -> String {
        let matches = self.matches(values);
        let mut sql = format!(
            "SELECT count(*), coalesce(sum(matches), 0) FROM (SELECT {matches} AS matches FROM {} WHERE 1",
            self.source
        );
        self.narrow(&mut sql, values);
        // In any order, unless only the newest are looked at.
        let order = self.search.map(|_| self.order()).unwrap_or_default();
        let _ = write!(sql, " {order} LIMIT ?1)");
        sql
    }

    fn order(&self) -> String {
        format!("ORDER BY {0}.created_at DESC, {0}.seq DESC", self.alias)
    }
}

/// A page of a list. Rows without the words of a search are passed over, up to the bound of the search.
pub(crate) fn newest_first<T>(
    connection: &Connection,
    list: &List<'_>,
    page: &PageRequest,
    read: impl Fn(&Row<'_>) -> DbResult<T>,
) -> DbResult<Page<T>> {
    let Position { at, seq } = Position::of(page)?;
    let size = size(page);
    let most = list.search.map_or(size, |search| search.rows as usize);
    let limit = count(most).saturating_add(1);
    let mut values: Vec<&dyn ToSql> = vec![&at, &seq, &limit];
    let sql = list.page_sql(&mut values);
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(values.as_slice())?;
    let (mut items, mut looked_at, mut held, mut last) = (Vec::new(), 0, 0, None);
    while let Some(row) = rows.next()? {
        if items.len() == size || looked_at == most || held >= MOST_PAGE_BYTES {
            let next = last.map(|position: Position| position.to_string());
            return Ok(Page { items, next });
        }
        looked_at += 1;
        last = Some(Position { at: row.get("listed_at")?, seq: row.get("listed_seq")? });
        if row.get("matches")? {
            held += bytes(row)?;
            items.push(read(row)?);
        }
    }
    Ok(Page { items, next: None })
}

/// How many a list has, of which no more than `most` are looked at.
pub(crate) fn counted(connection: &Connection, list: &List<'_>, most: u32) -> DbResult<Count> {
    let limit = i64::from(most).saturating_add(1);
    let mut values: Vec<&dyn ToSql> = vec![&limit];
    let sql = list.count_sql(&mut values);
    let mut statement = connection.prepare_cached(&sql)?;
    let (looked_at, matching): (i64, i64) =
        statement.query_row(values.as_slice(), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Count::of(value::counted(looked_at)?, value::counted(matching)?, most))
}

/// The size of all texts of a row.
pub(crate) fn bytes(row: &Row<'_>) -> DbResult<usize> {
    let mut bytes = 0;
    for column in 0..row.as_ref().column_count() {
        if let ValueRef::Text(text) | ValueRef::Blob(text) = row.get_ref(column)? {
            bytes += text.len();
        }
    }
    Ok(bytes)
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

/// What SQLite would do for a list that is not by an index and in its order.
#[cfg(test)]
pub(crate) fn unindexed(connection: &Connection, list: &List<'_>) -> Vec<String> {
    let plan = |sql: String| -> Vec<String> {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let details = statement.raw_query().mapped(|row| row.get::<_, String>("detail"));
        details.map(Result::unwrap).collect()
    };
    let (mut page, mut count): (Vec<&dyn ToSql>, Vec<&dyn ToSql>) = (vec![&0, &0, &0], vec![&0]);
    let steps = [plan(list.page_sql(&mut page)), plan(list.count_sql(&mut count))].concat();
    // The rows of a subquery that is bounded are scanned.
    let is_bad = |step: &String| {
        step.contains("TEMP B-TREE")
            || step.starts_with("SCAN") && !step.contains("INDEX") && !step.contains("subquery")
    };
    steps.into_iter().filter(is_bad).collect()
}
