//! The filters that lists of sessions, runs and workflow runs have in common.

use jiff::Timestamp;

use crate::since;

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
