//! Long lists: which part of them, and following their cursors.

use std::future::Future;

use accord_api::{Page, PageQuery};
use accord_client::ClientError;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, since};

/// What the coordinator hands out at once, at most.
const LARGEST_PAGE: u32 = 500;

/// What fits on a few screens.
const DEFAULT_LIMIT: u32 = 50;

/// How much of a list
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct PagingArguments {
    /// Maximum number to show [default: 50]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Show all
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

impl PagingArguments {
    /// Everything.
    pub(crate) fn all() -> Self {
        Self { limit: None, all: true }
    }

    /// The requested items, over as many pages as it takes. `next_cursor` is set if there are more.
    pub(crate) async fn gather<T, F>(&self, mut fetch: impl FnMut(PageQuery) -> F) -> Result<Page<T>, Failure>
    where
        F: Future<Output = Result<Page<T>, ClientError>>,
    {
        let wanted = if self.all { usize::MAX } else { self.limit.unwrap_or(DEFAULT_LIMIT) as usize };
        let mut gathered = Page::new(Vec::new(), None);
        loop {
            let missing = wanted - gathered.items.len();
            let limit = u32::try_from(missing).unwrap_or(LARGEST_PAGE).min(LARGEST_PAGE);
            let page = fetch(PageQuery { limit: Some(limit), cursor: gathered.next_cursor.take() }).await?;
            gathered.items.extend(page.items);
            gathered.next_cursor = page.next_cursor;
            gathered.total = gathered.total.or(page.total);
            gathered.total_exact = gathered.total_exact.or(page.total_exact);
            // A page of a search can be empty and have a next one.
            if gathered.next_cursor.is_none() || gathered.items.len() >= wanted {
                return Ok(gathered);
            }
        }
    }
}

/// Which items of a list
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct FilterArguments {
    /// Search ids, names and the beginning of inputs; all words must occur
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// Only those created since this age (30m, 24h, 7d), date or time (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = since::parse)]
    pub(crate) since: Option<Timestamp>,
    /// Only those created before this age, date or time
    #[arg(long, value_name = "TIME", value_parser = since::parse)]
    pub(crate) until: Option<Timestamp>,
}

impl FilterArguments {
    /// Whether one of them is set.
    pub(crate) fn is_some(&self) -> bool {
        self.search.is_some() || self.since.is_some() || self.until.is_some()
    }
}

/// Collects a value from every item of a list. The items themselves are dropped page by page,
/// because there may be very many.
pub(crate) async fn sift<T, I, F>(
    mut fetch: impl FnMut(PageQuery) -> F,
    take: impl Fn(T) -> Option<I>,
) -> Result<Vec<I>, Failure>
where
    F: Future<Output = Result<Page<T>, ClientError>>,
{
    let (mut taken, mut cursor) = (Vec::new(), None);
    loop {
        let page = fetch(PageQuery { limit: Some(LARGEST_PAGE), cursor }).await?;
        taken.extend(page.items.into_iter().filter_map(&take));
        if page.next_cursor.is_none() {
            return Ok(taken);
        }
        cursor = page.next_cursor;
    }
}

/// Takes the name of one of these, such as the statuses that a list is cut down to.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(move |each| name(*each))).try_map(move |given| {
        let found = all.iter().copied().find(|each| name(*each) == given);
        found.ok_or_else(|| format!("unknown value '{given}'"))
    })
}

/// The message for an empty list.
pub(crate) fn none(plural: &str, filtered: bool) -> String {
    if filtered { format!("No {plural} match these filters.") } else { format!("No {plural} found.") }
}

/// Prints a list: one JSON object, a table, or the message for an empty one; and whether there are more.
pub(crate) fn show<T: Serialize>(
    page: &Page<T>,
    json: bool,
    none: &str,
    table: impl FnOnce(&[T]) -> String,
) -> Result<Exit, Failure> {
    if json {
        output::json(page)?;
    } else if page.items.is_empty() {
        output::message(&format!("{none}\n"));
    } else {
        output::show(&table(&page.items))?;
        if page.next_cursor.is_some() {
            output::message(&more(page));
        }
    }
    Ok(Exit::Success)
}

/// The message if there are more items.
fn more<T>(page: &Page<T>) -> String {
    let Some(total) = page.total else { return "There are more: use --limit N or --all.\n".to_owned() };
    let plus = if page.total_exact == Some(false) { "+" } else { "" };
    format!("Showing {} of {total}{plus}: use --limit N or --all.\n", page.items.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_list_reports_the_total() {
        let page =
            |total, total_exact| Page { total, total_exact, ..Page::new(vec![1, 2], Some("2".into())) };
        assert_eq!(more(&page(Some(390), Some(true))), "Showing 2 of 390: use --limit N or --all.\n");
        assert_eq!(more(&page(Some(10_000), Some(false))), "Showing 2 of 10000+: use --limit N or --all.\n");
        assert_eq!(more(&page(None, None)), "There are more: use --limit N or --all.\n");
    }

    /// A list of 1200 numbers, in pages.
    async fn fetch(page: PageQuery) -> Result<Page<u32>, ClientError> {
        let start: u32 = page.cursor.map_or(0, |cursor| cursor.parse().unwrap());
        let end = (start + page.limit.unwrap()).min(1200);
        let next_cursor = (end < 1200).then(|| end.to_string());
        Ok(Page::new((start..end).collect(), next_cursor))
    }

    #[tokio::test]
    async fn cursors_are_followed_up_to_the_limit() {
        let cases = [
            (PagingArguments::default(), 50, Some("50")),
            (PagingArguments { limit: Some(700), all: false }, 700, Some("700")),
            (PagingArguments { limit: Some(5000), all: false }, 1200, None),
            (PagingArguments::all(), 1200, None),
        ];
        for (arguments, count, cursor) in cases {
            let page = arguments.gather(fetch).await.unwrap();
            assert_eq!(page.items, (0..count).collect::<Vec<u32>>());
            assert_eq!(page.next_cursor.as_deref(), cursor);
        }
    }
}
