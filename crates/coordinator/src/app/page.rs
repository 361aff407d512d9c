//! Pages of lists.

use std::cmp::Ordering;

use accord_api::Page;
use accord_store::{Count, PageRequest, Search};

use crate::error::{Error, refuse};

/// The default length of a page.
const USUAL_LIMIT: u32 = 50;

/// A page is held in memory whole.
pub(crate) const HIGHEST_LIMIT: u32 = 500;

pub(crate) fn limit(asked: Option<u32>) -> Result<u32, Error> {
    match asked {
        None => Ok(USUAL_LIMIT),
        Some(limit @ 1..=HIGHEST_LIMIT) => Ok(limit),
        Some(limit) => Err(refuse(format!("expected limit from 1 to {HIGHEST_LIMIT}, got {limit}"))),
    }
}

/// A list. Its cursors begin with its name, so that those of another list are noticed: both may be a time and a number, or
/// a word that could be a name in either.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List(pub(crate) &'static str);

impl List {
    /// The requested page, as the store expects it.
    pub(crate) fn request(self, asked: Option<u32>, cursor: Option<String>) -> Result<PageRequest, Error> {
        let place = |cursor| self.place(cursor).map(str::to_owned);
        Ok(PageRequest { limit: limit(asked)?, cursor: given(cursor.as_deref()).map(place).transpose()? })
    }

    /// A page of the store's, as callers see it.
    pub(crate) fn view<T, V>(self, page: accord_store::Page<T>, view: impl FnMut(T) -> V) -> Page<V> {
        let next_cursor = page.next.as_deref().map(|place| self.cursor(place));
        Page::new(page.items.into_iter().map(view).collect(), next_cursor)
    }

    /// A page of items that are in memory in the order of their names. The cursor has the last name of the previous page, and
    /// `next` says how later names compare to it. Without a limit it has all of them.
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
        Ok(Page::new(items, next_cursor))
    }

    fn cursor(self, place: &str) -> String {
        format!("{}:{place}", self.0)
    }

    fn place(self, cursor: &str) -> Result<&str, Error> {
        let place = cursor.strip_prefix(self.0).and_then(|rest| rest.strip_prefix(':'));
        place.ok_or_else(|| broken(cursor))
    }
}

/// How many items of a list are counted, and how many a search reads in one request. Either takes a database some tens of
/// milliseconds, and larger totals are not useful.
pub(crate) const MOST_COUNTED: u32 = 10_000;

const LONGEST_SEARCH: usize = 200;

/// Words of a search. Every row is compared with each.
const MOST_WORDS: usize = 8;

/// The requested search; none if it has no words.
pub(crate) fn search(asked: Option<&str>) -> Result<Option<Search>, Error> {
    let Some(asked) = asked else { return Ok(None) };
    let refused = |message: String| Err(refuse(message));
    if asked.chars().count() > LONGEST_SEARCH {
        return refused(format!("expected q of at most {LONGEST_SEARCH} characters"));
    }
    match Search::new(asked, MOST_COUNTED) {
        Some(search) if search.words.len() > MOST_WORDS => {
            refused(format!("expected q of at most {MOST_WORDS} words, got {}", search.words.len()))
        }
        search => Ok(search),
    }
}

/// A page with how many items there are, if they were counted.
pub(crate) fn counted<T>(page: Page<T>, count: Option<Count>) -> Page<T> {
    let (total, total_exact) = count.map(|Count { matching, exact }| (matching, exact)).unzip();
    Page { total, total_exact, ..page }
}

/// The cursor of a request. An empty one counts as none, because loops over pages start with it.
pub(crate) fn given(cursor: Option<&str>) -> Option<&str> {
    cursor.filter(|cursor| !cursor.is_empty())
}

/// Enough of a cursor to recognise it by.
const SHOWN: usize = 64;

fn broken(cursor: &str) -> Error {
    let shown: String = cursor.chars().take(SHOWN).collect();
    let message = format!("invalid cursor '{shown}'; use the next_cursor of the previous page");
    refuse(message)
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
    Ok(Page::new(items, next_cursor))
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
        let expected = |items: &[&str], next: Option<&str>| {
            Page::new(items.iter().map(|&item| item.to_owned()).collect(), next.map(str::to_owned))
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
        assert_eq!(page(None, None), Page::new(all(), None));
        let first = Page::new(vec!["c".to_owned(), "b".to_owned()], Some("names:b".to_owned()));
        assert_eq!(page(Some(2), None), first);
        assert_eq!(page(Some(2), Some("names:b")), Page::new(vec!["a".to_owned()], None));
    }

    #[test]
    fn a_search_has_a_few_words() {
        let words = |asked: &str| search(Some(asked)).unwrap().map(|search| search.words);
        assert_eq!(words(" Log\tIN "), Some(vec!["log".to_owned(), "in".to_owned()]));
        assert_eq!((words(" \n"), search(None).unwrap()), (None, None));
        assert!(search(Some(&"x".repeat(LONGEST_SEARCH + 1))).is_err());
        assert!(search(Some(&"x ".repeat(MOST_WORDS + 1))).is_err());
    }

    #[test]
    fn lists_that_only_grow_are_paged_by_count() {
        let page = |limit, cursor| by_count(vec![1, 2, 3], limit, cursor);
        assert_eq!(page(None, None).unwrap(), Page::new(vec![1, 2, 3], None));
        let first = Page::new(vec![1, 2], Some("2".to_owned()));
        assert_eq!(page(Some(2), None).unwrap(), first);
        assert_eq!(page(Some(2), Some("2")).unwrap(), Page::new(vec![3], None));
        assert_eq!(page(Some(2), Some("9")).unwrap(), Page::new(Vec::new(), None));
        assert_eq!(page(Some(2), Some("")).unwrap(), page(Some(2), None).unwrap());
        assert!(page(None, Some("x")).is_err());
        assert!(page(Some(0), None).is_err());
    }
}
