//! Pages and their cursors: of lists that are newest first, the time and the id of the last item of a page.

use accord_store::{MOST_PAGE_BYTES, Page, PageRequest, StoreError};
use futures_util::{Stream, TryStreamExt as _};
use jiff::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{Postgres, QueryBuilder, Row as _};

use crate::convert::micros;
use crate::error::DbError;

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

/// The page, of rows asked for with [`rows_for`]: documents, which may fill it before it has all.
pub(crate) async fn filled<T>(
    mut rows: impl Stream<Item = Result<PgRow, sqlx::Error>> + Unpin,
    page: &PageRequest,
    read: impl Fn(&PgRow) -> Result<T, DbError>,
    cursor: impl Fn(&T) -> String,
) -> Result<Page<T>, DbError> {
    let (mut items, mut held) = (Vec::new(), 0);
    while let Some(row) = rows.try_next().await? {
        if items.len() == size(page) as usize || held >= MOST_PAGE_BYTES {
            let next = items.last().map(cursor);
            return Ok(Page { items, next });
        }
        for column in 0..row.len() {
            held += row.try_get_raw(column)?.as_bytes().map_or(0, <[u8]>::len);
        }
        items.push(read(&row)?);
    }
    Ok(Page { items, next: None })
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
