//! Pages of lists.

use accord_api::{ErrorName, Page};
use accord_store::PageRequest;

use crate::error::Error;

/// What people look at in one go.
const USUAL_LIMIT: u32 = 50;

/// A page is held in memory whole.
pub(crate) const HIGHEST_LIMIT: u32 = 500;

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

/// A list of the store's. Its cursors begin with its name, so that those of another list are noticed: both are a time and a
/// number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List(pub(crate) &'static str);

impl List {
    /// The page that somebody asks for.
    pub(crate) fn request(self, asked: Option<u32>, cursor: Option<String>) -> Result<PageRequest, Error> {
        let place = |cursor: String| match cursor.strip_prefix(self.0).and_then(|rest| rest.strip_prefix(':'))
        {
            Some(place) => Ok(place.to_owned()),
            None => Err(broken(&cursor)),
        };
        Ok(PageRequest { limit: limit(asked)?, cursor: cursor.map(place).transpose()? })
    }

    /// A page of it, as callers see it.
    pub(crate) fn view<T, V>(self, page: accord_store::Page<T>, view: impl FnMut(T) -> V) -> Page<V> {
        let next_cursor = page.next.map(|place| format!("{}:{place}", self.0));
        Page { items: page.items.into_iter().map(view).collect(), next_cursor }
    }
}

/// What a cursor begins with that is the last name of the page before. Any word could be a name; so what was made up, or
/// comes from another list, is noticed.
const AFTER: &str = "after:";

/// The cursor of the page behind a name.
pub(crate) fn cursor_after(name: &str) -> String {
    format!("{AFTER}{name}")
}

/// The name that a cursor stands for.
pub(crate) fn name_in(cursor: &str) -> Result<&str, Error> {
    cursor.strip_prefix(AFTER).ok_or_else(|| broken(cursor))
}

/// Enough of a cursor to recognise it by.
const SHOWN: usize = 64;

fn broken(cursor: &str) -> Error {
    let shown: String = cursor.chars().take(SHOWN).collect();
    let message =
        format!("the cursor '{shown}' is none of this list; use the next_cursor of the page before");
    Error::new(ErrorName::InvalidRequest, message)
}

/// A page of few things that are at hand in the order of their names: the cursor has the last name of the page before. All
/// of them, where nobody asks for less.
pub(crate) fn by_name<T>(
    mut items: Vec<T>,
    asked: Option<u32>,
    cursor: Option<&str>,
    name: impl Fn(&T) -> &str,
) -> Result<Page<T>, Error> {
    if let Some(last) = cursor.map(name_in).transpose()? {
        items.retain(|item| name(item) > last);
    }
    first(items, asked, name)
}

/// The same in the opposite order. Ids grow, so that the newest comes first.
pub(crate) fn by_falling_name<T>(
    mut items: Vec<T>,
    asked: Option<u32>,
    cursor: Option<&str>,
    name: impl Fn(&T) -> &str,
) -> Result<Page<T>, Error> {
    if let Some(last) = cursor.map(name_in).transpose()? {
        items.retain(|item| name(item) < last);
    }
    first(items, asked, name)
}

fn first<T>(mut items: Vec<T>, asked: Option<u32>, name: impl Fn(&T) -> &str) -> Result<Page<T>, Error> {
    let more = shorten(&mut items, asked)?;
    let next_cursor = items.last().filter(|_| more).map(|item| cursor_after(name(item)));
    Ok(Page { items, next_cursor })
}

/// A page of few things that only grow at their end: the cursor is how many came before.
pub(crate) fn by_count<T>(
    mut items: Vec<T>,
    asked: Option<u32>,
    cursor: Option<&str>,
) -> Result<Page<T>, Error> {
    let before = match cursor {
        None => 0,
        Some(cursor) => cursor.parse::<usize>().map_err(|_| broken(cursor))?,
    };
    items.drain(..before.min(items.len()));
    let more = shorten(&mut items, asked)?;
    let next_cursor = more.then(|| (before + items.len()).to_string());
    Ok(Page { items, next_cursor })
}

/// Leaves as many as are asked for. Says whether there were more.
fn shorten<T>(items: &mut Vec<T>, asked: Option<u32>) -> Result<bool, Error> {
    let most = match asked {
        Some(_) => limit(asked)? as usize,
        None => items.len(),
    };
    let more = items.len() > most;
    items.truncate(most);
    Ok(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_page_by_page() {
        let all = || vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let page = |limit, cursor| by_name(all(), limit, cursor, String::as_str).unwrap();
        let expected = |items: &[&str], next: Option<&str>| Page {
            items: items.iter().map(|&item| item.to_owned()).collect(),
            next_cursor: next.map(str::to_owned),
        };
        assert_eq!(page(None, None), expected(&["a", "b", "c"], None));
        assert_eq!(page(Some(2), None), expected(&["a", "b"], Some("after:b")));
        assert_eq!(page(Some(2), Some("after:b")), expected(&["c"], None));
        assert!(by_name(all(), Some(0), None, String::as_str).is_err());
        assert!(by_name(all(), None, Some("b"), String::as_str).is_err());
    }

    #[test]
    fn the_newest_come_first_page_by_page() {
        let all = || vec!["c".to_owned(), "b".to_owned(), "a".to_owned()];
        let page = |limit, cursor| by_falling_name(all(), limit, cursor, String::as_str).unwrap();
        assert_eq!(page(None, None), Page { items: all(), next_cursor: None });
        let first =
            Page { items: vec!["c".to_owned(), "b".to_owned()], next_cursor: Some("after:b".to_owned()) };
        assert_eq!(page(Some(2), None), first);
        assert_eq!(page(Some(2), Some("after:b")), Page { items: vec!["a".to_owned()], next_cursor: None });
    }

    #[test]
    fn what_only_grows_is_counted() {
        let page = |limit, cursor| by_count(vec![1, 2, 3], limit, cursor);
        assert_eq!(page(None, None).unwrap(), Page { items: vec![1, 2, 3], next_cursor: None });
        let first = Page { items: vec![1, 2], next_cursor: Some("2".to_owned()) };
        assert_eq!(page(Some(2), None).unwrap(), first);
        assert_eq!(page(Some(2), Some("2")).unwrap(), Page { items: vec![3], next_cursor: None });
        assert_eq!(page(Some(2), Some("9")).unwrap(), Page { items: Vec::new(), next_cursor: None });
        assert!(page(None, Some("x")).is_err());
        assert!(page(Some(0), None).is_err());
    }
}
