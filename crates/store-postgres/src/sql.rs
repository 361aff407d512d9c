//! Parts of statements that several files share. This file imports nothing.

/// The lowest bits of an id are the place in its transaction. A request of 8 MiB cannot hold as many events, and the
/// bits that are left number every transaction of 25 years at ten thousand a second.
pub(crate) const PLACE_BITS: i32 = 20;

/// Events that fit into one transaction.
pub(crate) const MOST_EVENTS: usize = 1 << PLACE_BITS;

/// The first id of this transaction.
macro_rules! event_base {
    () => {
        "(((SELECT transaction_offset FROM event_numbering) + pg_current_xact_id()::text::bigint) << 20)"
    };
}

/// The lock that shows a writer of events. The numbers say "Accord" and "events" to everybody on the same database.
macro_rules! writers_lock {
    () => {
        "pg_advisory_xact_lock_shared(1633903471, 1)"
    };
}

/// The hour of a time.
macro_rules! hour {
    ($time:literal) => {
        concat!("((", $time, " - ((", $time, " % 3600000000) + 3600000000) % 3600000000) / 3600000000)")
    };
}

/// Marks the hours of finished runs that are kept or are being kept. More rows of `r` can be left out.
macro_rules! mark_hours {
    ($runs:literal) => {
        concat!(
            "INSERT INTO kept_hours AS kept (hour) SELECT DISTINCT ",
            crate::sql::hour!("r.created_at"),
            " FROM ",
            $runs,
            " AND ",
            crate::sql::hour!("r.created_at"),
            " < (SELECT next FROM kept_until) ORDER BY 1 ON CONFLICT (hour) DO UPDATE SET mark = kept.mark + 1, body = NULL"
        )
    };
}

pub(crate) use {event_base, hour, mark_hours, writers_lock};
