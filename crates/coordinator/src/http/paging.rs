//! Pages of lists that are short as a rule.

use serde::Deserialize;

/// Which part of a list that is short as a rule.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct FewQuery {
    /// Page size, 500 at most; all if omitted.
    pub(super) limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub(super) cursor: Option<String>,
}
