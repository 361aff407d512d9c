//! Hands out waiting runs.
//!
//! There are many runs and few different demands: the index of waiting runs begins with the demands, so a claim asks
//! once for each demand whether the runner meets it, and then looks only at runs that it can have. A thousand runs for
//! other runners cost nothing.

use accord_domain::demands::Demands;
use accord_store::{Claim, Claimed, MOST_CLAIMED_BYTES};
use rusqlite::{Connection, params};

use crate::change::{ChangedRows, apply};
use crate::error::DbResult;
use crate::rows::{assignment, run, session, step};
use crate::value::{count, from_json};
use crate::writer::Write;

pub(super) fn claim(write: &mut Write<'_>, claim: &Claim) -> DbResult<Vec<Claimed>> {
    let connection = write.connection();
    let chosen = choose(connection, claim.leases.len(), |demands| claim.profile.meets(demands))?;
    let mut taken = Vec::with_capacity(chosen.len());
    let mut bytes = 0;
    for (seq, lease_id) in chosen.into_iter().zip(&claim.leases) {
        if bytes >= MOST_CLAIMED_BYTES {
            break;
        }
        let loaded = run::load_number(connection, seq)?;
        let changed_rows = ChangedRows::of(&loaded);
        let assignment = assignment::find(connection, seq)?;
        let conversation = session::conversation(connection, changed_rows.session)?;
        let (steps, step_bytes) = step::current(connection, seq)?;
        bytes += assignment.bytes() + conversation.as_ref().map_or(0, String::len) + step_bytes;
        let change = claim.change(loaded.run, loaded.session, lease_id.clone())?;
        taken.push((changed_rows, change, assignment, conversation, steps));
    }
    let mut claimed = Vec::with_capacity(taken.len());
    for (changed_rows, change, assignment, conversation, steps) in taken {
        let session = change.session.clone();
        let run = apply(write, &changed_rows, change)?;
        claimed.push(Claimed { run, session, assignment, conversation, steps });
    }
    Ok(claimed)
}

/// The first waiting runs whose demands are met: higher priority first, then in the order of arrival.
fn choose(connection: &Connection, most: usize, met: impl Fn(&Demands) -> bool) -> DbResult<Vec<i64>> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let sql = "SELECT -priority, seq FROM runs WHERE status = 'pending' AND demands = ?1 \
               ORDER BY priority DESC, seq LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut candidates: Vec<(i64, i64)> = Vec::new();
    for demands in waiting_demands(connection)? {
        if met(&from_json(&demands)?) {
            let mut rows = statement.query(params![demands, count(most)])?;
            while let Some(row) = rows.next()? {
                candidates.push((row.get(0)?, row.get(1)?));
            }
        }
    }
    candidates.sort_unstable();
    Ok(candidates.into_iter().take(most).map(|(_, seq)| seq).collect())
}

/// Every different demand of waiting runs, as it is written: one step in the index for each.
pub(crate) fn waiting_demands(connection: &Connection) -> DbResult<Vec<String>> {
    let sql = "WITH RECURSIVE waiting (demands) AS ( \
                 SELECT min(demands) FROM runs WHERE status = 'pending' \
                 UNION ALL \
                 SELECT (SELECT min(demands) FROM runs WHERE status = 'pending' AND demands > waiting.demands) \
                 FROM waiting WHERE waiting.demands IS NOT NULL \
               ) SELECT demands FROM waiting WHERE demands IS NOT NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let demands = statement.query_map([], |row| row.get(0))?;
    Ok(demands.collect::<rusqlite::Result<_>>()?)
}
