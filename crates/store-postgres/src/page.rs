//! Cursors of lists that are newest first: the time and the id of the last item of a page.

use accord_store::{Page, PageRequest, StoreError};
use jiff::Timestamp;
use sqlx::{Postgres, QueryBuilder};

use crate::convert::micros;

/// Asks for one row more than a page holds: it says whether there is a next page.
pub(crate) fn rows_for(page: &PageRequest) -> i64 {
    i64::from(page.limit) + 1
}

/// Where the page begins.
pub(crate) fn after(page: &PageRequest) -> Result<Option<(i64, &str)>, StoreError> {
    let Some(cursor) = &page.cursor else { return Ok(None) };
    let parts = cursor.split_once('.').and_then(|(time, id)| Some((time.parse().ok()?, id)));
    let plain = parts.filter(|(_, id)| !id.contains('\0'));
    let name = || cursor.chars().take(100).collect();
    plain.map(Some).ok_or_else(|| StoreError::NoSuch { kind: "cursor", name: name() })
}

/// The condition and the order of a page of the table with this alias.
pub(crate) fn newest_first(
    query: &mut QueryBuilder<Postgres>,
    alias: &str,
    page: &PageRequest,
) -> Result<(), StoreError> {
    if let Some((time, id)) = after(page)? {
        query.push(format_args!(" AND ({alias}.created_at, {alias}.id) < ("));
        query.push_bind(time).push(", ").push_bind(id).push(")");
    }
    query.push(format_args!(" ORDER BY {alias}.created_at DESC, {alias}.id DESC LIMIT "));
    query.push_bind(rows_for(page));
    Ok(())
}

/// The page, of rows asked for with [`rows_for`].
pub(crate) fn cut<T>(mut items: Vec<T>, page: &PageRequest, cursor: impl Fn(&T) -> String) -> Page<T> {
    let limit = page.limit as usize;
    let more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| more).map(cursor);
    Page { items, next }
}

/// The cursor behind an item.
pub(crate) fn cursor(created_at: Timestamp, id: &str) -> String {
    format!("{}.{id}", micros(created_at))
}
