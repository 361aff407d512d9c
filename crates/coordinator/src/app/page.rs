//! Pages of lists.

use accord_api::{ErrorName, Page};
use accord_store::PageRequest;

use crate::error::Error;

/// What people look at in one go.
const USUAL_LIMIT: u32 = 50;

/// A page is held in memory whole.
const HIGHEST_LIMIT: u32 = 500;

/// The length of a page that somebody asks for.
pub(crate) fn limit(asked: Option<u32>) -> Result<u32, Error> {
    match asked {
        None => Ok(USUAL_LIMIT),
        Some(limit @ 1..=HIGHEST_LIMIT) => Ok(limit),
        Some(limit) => {
            let message = format!("limit is {limit}; it can be 1 to {HIGHEST_LIMIT}");
            Err(Error::new(ErrorName::InvalidRequest, message))
        }
    }
}

/// The page that somebody asks for.
pub(crate) fn request(asked: Option<u32>, cursor: Option<String>) -> Result<PageRequest, Error> {
    Ok(PageRequest { limit: limit(asked)?, cursor })
}

/// A page of the store's things, as callers see them.
pub(crate) fn view<T, V>(page: accord_store::Page<T>, view: impl FnMut(T) -> V) -> Page<V> {
    Page { items: page.items.into_iter().map(view).collect(), next_cursor: page.next }
}
