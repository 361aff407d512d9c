//! Pages and their cursors: of lists that are newest first, the time and the id of the last item of a page.

use accord_store::{Page, PageRequest, StoreError};
use jiff::Timestamp;
use sqlx::{Postgres, QueryBuilder};

use crate::convert::micros;

/// How many are on a page: at least one, or there would be no end of pages.
fn size(page: &PageRequest) -> u32 {
    page.limit.max(1)
}

/// Asks for one row more than a page holds: it says whether there is a next page.
pub(crate) fn rows_for(page: &PageRequest) -> i64 {
    i64::from(size(page)) + 1
}

/// Rejects a cursor that was made up.
pub(crate) fn broken(cursor: &str) -> StoreError {
    /// Enough to recognise it by.
    const SHOWN: usize = 64;
    StoreError::NoSuch { kind: "cursor", name: cursor.chars().take(SHOWN).collect() }
}

fn after(page: &PageRequest) -> Result<Option<(i64, &str)>, StoreError> {
    let Some(cursor) = &page.cursor else { return Ok(None) };
    let parts = cursor.split_once('.').and_then(|(time, id)| Some((time.parse().ok()?, id)));
    let plain = parts.filter(|(_, id)| !id.contains('\0'));
    plain.map(Some).ok_or_else(|| broken(cursor))
}

/// The condition, the order and the number of rows of a page of the table with this alias.
pub(crate) fn newest_first(
    query: &mut QueryBuilder<Postgres>,
    alias: &str,
    page: &PageRequest,
    rows: i64,
) -> Result<(), StoreError> {
    if let Some((time, id)) = after(page)? {
        query.push(format_args!(" AND ({alias}.created_at, {alias}.id) < ("));
        query.push_bind(time).push(", ").push_bind(id).push(")");
    }
    query.push(format_args!(" ORDER BY {alias}.created_at DESC, {alias}.id DESC LIMIT "));
    query.push_bind(rows);
    Ok(())
}

/// The page, of rows asked for with [`rows_for`].
pub(crate) fn cut<T>(mut items: Vec<T>, page: &PageRequest, cursor: impl Fn(&T) -> String) -> Page<T> {
    let size = size(page) as usize;
    let more = items.len() > size;
    items.truncate(size);
    let next = items.last().filter(|_| more).map(cursor);
    Page { items, next }
}

/// The cursor after an item.
pub(crate) fn cursor(created_at: Timestamp, id: &str) -> String {
    format!("{}.{id}", micros(created_at))
}
