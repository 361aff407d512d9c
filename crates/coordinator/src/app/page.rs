//! Pages of lists.

use std::cmp::Ordering;

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
            let message = format!("expected limit from 1 to {HIGHEST_LIMIT}, got {limit}");
            Err(Error::new(ErrorName::InvalidRequest, message))
        }
    }
}

/// A list. Its cursors begin with its name, so that those of another list are noticed: both may be a time and a number, or
/// a word that could be a name in either.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List(pub(crate) &'static str);

impl List {
    /// The page of the store's that somebody asks for.
    pub(crate) fn request(self, asked: Option<u32>, cursor: Option<String>) -> Result<PageRequest, Error> {
        let place = |cursor| self.place(cursor).map(str::to_owned);
        Ok(PageRequest { limit: limit(asked)?, cursor: given(cursor.as_deref()).map(place).transpose()? })
    }

    /// A page of the store's, as callers see it.
    pub(crate) fn view<T, V>(self, page: accord_store::Page<T>, view: impl FnMut(T) -> V) -> Page<V> {
        let next_cursor = page.next.as_deref().map(|place| self.cursor(place));
        Page { items: page.items.into_iter().map(view).collect(), next_cursor }
    }

    /// A page of few things that are at hand in the order of their names: the cursor has the last name of the page before,
    /// and `next` says how a name behind it compares to it. All of them, where nobody asks for less.
    pub(crate) fn by_name<T>(
        self,
        mut items: Vec<T>,
        next: Ordering,
        asked: Option<u32>,
        cursor: Option<&str>,
        name: impl Fn(&T) -> &str,
    ) -> Result<Page<T>, Error> {
        if let Some(last) = given(cursor).map(|cursor| self.place(cursor)).transpose()? {
            items.retain(|item| name(item).cmp(last) == next);
        }
        let more = shorten(&mut items, asked)?;
        let next_cursor = items.last().filter(|_| more).map(|item| self.cursor(name(item)));
        Ok(Page { items, next_cursor })
    }

    fn cursor(self, place: &str) -> String {
        format!("{}:{place}", self.0)
    }

    fn place(self, cursor: &str) -> Result<&str, Error> {
        let place = cursor.strip_prefix(self.0).and_then(|rest| rest.strip_prefix(':'));
        place.ok_or_else(|| broken(cursor))
    }
}

/// The cursor that somebody gives. An empty one is none: a loop over pages begins with it.
pub(crate) fn given(cursor: Option<&str>) -> Option<&str> {
    cursor.filter(|cursor| !cursor.is_empty())
}

/// Enough of a cursor to recognise it by.
const SHOWN: usize = 64;

fn broken(cursor: &str) -> Error {
    let shown: String = cursor.chars().take(SHOWN).collect();
    let message = format!("invalid cursor '{shown}'; use the next_cursor of the previous page");
    Error::new(ErrorName::InvalidRequest, message)
}

/// A page of few things that only grow at their end: the cursor is how many came before.
pub(crate) fn by_count<T>(
    mut items: Vec<T>,
    asked: Option<u32>,
    cursor: Option<&str>,
) -> Result<Page<T>, Error> {
    let before = match given(cursor) {
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

    const LIST: List = List("names");

    #[test]
    fn names_come_page_by_page() {
        let all = || vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let page =
            |limit, cursor| LIST.by_name(all(), Ordering::Greater, limit, cursor, String::as_str).unwrap();
        let expected = |items: &[&str], next: Option<&str>| Page {
            items: items.iter().map(|&item| item.to_owned()).collect(),
            next_cursor: next.map(str::to_owned),
        };
        assert_eq!(page(None, None), expected(&["a", "b", "c"], None));
        assert_eq!(page(Some(2), None), expected(&["a", "b"], Some("names:b")));
        assert_eq!(page(Some(2), Some("names:b")), expected(&["c"], None));
        assert!(LIST.by_name(all(), Ordering::Greater, Some(0), None, String::as_str).is_err());
        assert_eq!(page(Some(2), Some("")), page(Some(2), None));
        for other in ["b", "others:b", "names"] {
            let page = LIST.by_name(all(), Ordering::Greater, None, Some(other), String::as_str);
            assert!(page.is_err(), "{other}");
        }
    }

    #[test]
    fn the_newest_come_first_page_by_page() {
        let all = || vec!["c".to_owned(), "b".to_owned(), "a".to_owned()];
        let page =
            |limit, cursor| LIST.by_name(all(), Ordering::Less, limit, cursor, String::as_str).unwrap();
        assert_eq!(page(None, None), Page { items: all(), next_cursor: None });
        let first =
            Page { items: vec!["c".to_owned(), "b".to_owned()], next_cursor: Some("names:b".to_owned()) };
        assert_eq!(page(Some(2), None), first);
        assert_eq!(page(Some(2), Some("names:b")), Page { items: vec!["a".to_owned()], next_cursor: None });
    }

    #[test]
    fn what_only_grows_is_counted() {
        let page = |limit, cursor| by_count(vec![1, 2, 3], limit, cursor);
        assert_eq!(page(None, None).unwrap(), Page { items: vec![1, 2, 3], next_cursor: None });
        let first = Page { items: vec![1, 2], next_cursor: Some("2".to_owned()) };
        assert_eq!(page(Some(2), None).unwrap(), first);
        assert_eq!(page(Some(2), Some("2")).unwrap(), Page { items: vec![3], next_cursor: None });
        assert_eq!(page(Some(2), Some("9")).unwrap(), Page { items: Vec::new(), next_cursor: None });
        assert_eq!(page(Some(2), Some("")).unwrap(), page(Some(2), None).unwrap());
        assert!(page(None, Some("x")).is_err());
        assert!(page(Some(0), None).is_err());
    }
}
