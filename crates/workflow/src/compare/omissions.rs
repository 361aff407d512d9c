//! What a comparison leaves out because of a limit.

use std::collections::BTreeMap;

use accord_domain::comparison::{ComparisonLimit, Truncation};

/// More entries that clear one location add nothing.
pub(super) const MAX_CLEARINGS: usize = 100;

/// Deeper values are not read. A contract never accepts a value that deep.
pub(super) const MAX_DEPTH: usize = 128;

/// An entry is compared with at most this many others, the nearest first. Ten siblings that each flag every line stay
/// well below it; without it, thousands of entries at one place would cost millions of comparisons.
pub const MAX_NEIGHBOURS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Omissions(BTreeMap<ComparisonLimit, u64>);

impl Omissions {
    pub(super) fn count(&mut self, limit: ComparisonLimit, entries: u64) {
        if entries > 0 {
            *self.0.entry(limit).or_default() += entries;
        }
    }

    pub(super) fn into_truncations(self) -> Vec<Truncation> {
        let truncation = |(limit, entries): (ComparisonLimit, u64)| Truncation {
            limit,
            entries,
            message: match limit {
                ComparisonLimit::Neighbours => format!(
                    "{entries} entries have more than {MAX_NEIGHBOURS} others at the same location; only the nearest {MAX_NEIGHBOURS} were compared"
                ),
                ComparisonLimit::Clearings => format!(
                    "{entries} locations are marked as resolved more than {} times; the other entries there were not compared",
                    MAX_CLEARINGS
                ),
                ComparisonLimit::Vectors => {
                    format!("{entries} texts have no usable embedding and were not compared")
                }
                ComparisonLimit::Depth => {
                    format!(
                        "{entries} values are nested deeper than {} levels and were not compared",
                        MAX_DEPTH
                    )
                }
            },
        };
        self.0.into_iter().map(truncation).collect()
    }
}
