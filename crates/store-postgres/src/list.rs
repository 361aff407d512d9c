//! Lists by time, the newest first: their pages, searched or not, and how many there are.

use accord_store::{Count, Page, PageRequest, Search};
use jiff::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{PgPool, Postgres, QueryBuilder, Row};

use crate::convert::{counted, micros};
use crate::error::DbError;
use crate::page;

pub(crate) struct List<'a> {
    /// The columns that are read.
    pub(crate) columns: &'a str,
    /// The table with its alias, and its joins.
    pub(crate) source: &'a str,
    /// The alias of the table whose rows are listed.
    pub(crate) alias: &'a str,
    /// The text of a row that is searched.
    pub(crate) searched: &'a str,
    pub(crate) search: Option<&'a Search>,
}

impl List<'_> {
    /// The rows of a list. `narrow` writes the conditions of its filter.
    fn rows(
        &self,
        columns: &str,
        narrow: &impl Fn(&mut QueryBuilder<Postgres>),
        query: &mut QueryBuilder<Postgres>,
    ) {
        query.push(format_args!("SELECT {columns} FROM {} WHERE true", self.source));
        narrow(query);
    }

    /// Whether a row of the table `c` has all words.
    fn matches(&self, query: &mut QueryBuilder<Postgres>) {
        query.push("true");
        for word in self.search.iter().flat_map(|search| &search.words) {
            query.push(" AND strpos(c.searched, ").push_bind(word.clone()).push(") > 0");
        }
    }

    /// A page of it. Rows without the words of a search are passed over, up to the bound of the search.
    pub(crate) async fn page<T>(
        &self,
        pool: &PgPool,
        page: &PageRequest,
        narrow: impl Fn(&mut QueryBuilder<Postgres>),
        read: impl Fn(&PgRow) -> Result<T, DbError>,
        cursor: impl Fn(&T) -> String,
    ) -> Result<Page<T>, DbError> {
        let mut query = QueryBuilder::<Postgres>::new("");
        let Some(search) = self.search else {
            self.rows(self.columns, &narrow, &mut query);
            page::newest_first(&mut query, self.alias, page, page::rows_for(page))?;
            return page::filled(query.build().fetch(pool), page, read, cursor).await;
        };
        let columns = format!(
            "{}, {1}.created_at AS listed_at, {1}.id AS listed_id, {2} AS searched",
            self.columns, self.alias, self.searched
        );
        query.push("SELECT c.* FROM (");
        self.rows(&columns, &narrow, &mut query);
        page::newest_first(&mut query, self.alias, page, i64::from(search.rows))?;
        query.push(") c WHERE ");
        self.matches(&mut query);
        query.push(" ORDER BY c.listed_at DESC, c.listed_id DESC LIMIT ").push_bind(page::rows_for(page));
        let found = page::filled(query.build().fetch(pool), page, read, cursor).await?;
        match found.next {
            Some(_) => Ok(found),
            None => Ok(Page { next: self.behind(pool, page, search, &narrow).await?, ..found }),
        }
    }

    /// Where a search continues after the rows that it has read; `None` after the last.
    async fn behind(
        &self,
        pool: &PgPool,
        page: &PageRequest,
        search: &Search,
        narrow: &impl Fn(&mut QueryBuilder<Postgres>),
    ) -> Result<Option<String>, DbError> {
        let mut query = QueryBuilder::<Postgres>::new("");
        let columns = format!("{0}.created_at AS listed_at, {0}.id AS listed_id", self.alias);
        self.rows(&columns, narrow, &mut query);
        page::newest_first(&mut query, self.alias, page, 2)?;
        query.push(" OFFSET ").push_bind(i64::from(search.rows.saturating_sub(1)));
        let rows = query.build().fetch_all(pool).await?;
        let [last, _more] = rows.as_slice() else { return Ok(None) };
        let (at, id): (i64, &str) = (last.try_get("listed_at")?, last.try_get("listed_id")?);
        Ok(Some(format!("{at}.{id}")))
    }

    /// How many there are, of which no more than `most` are looked at.
    pub(crate) async fn count(
        &self,
        pool: &PgPool,
        most: u32,
        narrow: impl Fn(&mut QueryBuilder<Postgres>),
    ) -> Result<Count, DbError> {
        let mut query =
            QueryBuilder::<Postgres>::new("SELECT count(*) AS looked_at, count(*) FILTER (WHERE ");
        self.matches(&mut query);
        query.push(") AS matching FROM (");
        let limit = i64::from(most) + 1;
        match self.search {
            Some(_) => {
                self.rows(&format!("{} AS searched", self.searched), &narrow, &mut query);
                page::newest_first(&mut query, self.alias, &PageRequest { limit: 1, cursor: None }, limit)?;
            }
            None => {
                self.rows("1", &narrow, &mut query);
                query.push(" LIMIT ").push_bind(limit);
            }
        }
        query.push(") c");
        let row = query.build().fetch_one(pool).await?;
        Ok(Count::of(counted(row.try_get("looked_at")?)?, counted(row.try_get("matching")?)?, most))
    }
}

/// The conditions on the time of creation that every list has.
pub(crate) fn within(
    query: &mut QueryBuilder<Postgres>,
    alias: &str,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
) {
    if let Some(since) = since {
        query.push(format_args!(" AND {alias}.created_at >= ")).push_bind(micros(since));
    }
    if let Some(until) = until {
        query.push(format_args!(" AND {alias}.created_at < ")).push_bind(micros(until));
    }
}
