//! Pages.

use serde::{Deserialize, Serialize};

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Page<T> {
    /// Items of this page.
    pub items: Vec<T>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
    /// How many items match, counted up to 10,000. Only on the first page of sessions, runs and workflow runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether `total` is exact. If not, at least that many match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_exact: Option<bool>,
}

impl<T> Page<T> {
    /// A page of a list that is not counted.
    pub fn new(items: Vec<T>, next_cursor: Option<String>) -> Self {
        Self { items, next_cursor, total: None, total_exact: None }
    }
}

/// Paging parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Page size; 50 by default, 500 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Declares the query of a long list: its own filters, and what all of them have.
macro_rules! list_query {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$about:meta])* pub $field:ident: $type:ident,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, utoipa::IntoParams)]
        #[serde(deny_unknown_fields, default)]
        #[into_params(parameter_in = Query)]
        pub struct $name {
            $(
                $(#[$about])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )+
            /// Search ids, names and inputs, regardless of case: all words must occur, at most 8 of them. Of an input the first
            /// 4 KiB of its values are searched; of a session, the input it was started with. A request looks at no more than
            /// 10,000 items: a page can have fewer items than asked for, or none, and still a `next_cursor`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub q: Option<String>,
            /// Filter by creation time: at or after it.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[param(value_type = Option<String>)]
            pub since: Option<jiff::Timestamp>,
            /// Filter by creation time: before it.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[param(value_type = Option<String>)]
            pub until: Option<jiff::Timestamp>,
            /// Page size.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub limit: Option<u32>,
            /// The `next_cursor` of the previous page.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub cursor: Option<String>,
        }
    };
}
pub(crate) use list_query;
