//! What is measured, and the table of it.

use std::fmt::Write as _;

use crate::Measured;
use crate::peers::Peer;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum System {
    AccordOnSqlite,
    /// With this many coordinators.
    AccordOnPostgres(usize),
    Peer(Peer),
}

impl System {
    pub(crate) fn all(coordinators: &[usize]) -> Vec<Self> {
        let on_postgres = coordinators.iter().map(|count| Self::AccordOnPostgres(*count));
        std::iter::once(Self::AccordOnSqlite).chain(on_postgres).chain(Peer::ALL.map(Self::Peer)).collect()
    }

    /// What it is chosen by.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::AccordOnSqlite => "sqlite",
            Self::AccordOnPostgres(_) => "postgres",
            Self::Peer(peer) => peer.name(),
        }
    }

    pub(crate) fn title(&self) -> String {
        match self {
            Self::AccordOnSqlite => "Accord, SQLite".to_owned(),
            Self::AccordOnPostgres(1) => "Accord, PostgreSQL".to_owned(),
            Self::AccordOnPostgres(count) => format!("Accord, PostgreSQL, {count} coordinators"),
            Self::Peer(peer) => peer.title().to_owned(),
        }
    }
}

pub(crate) struct Row {
    pub(crate) system: System,
    pub(crate) callers: usize,
    pub(crate) measured: Measured,
}

/// One row for each system and number of callers. The last column compares with the fastest job queue with as many callers.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut text = "| system | callers | cycles/s | p50 ms | p99 ms | CPU ms per cycle | PostgreSQL's CPU ms per cycle | ratio to the fastest job queue |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for Row { system, callers, measured } in rows {
        let fastest = rows.iter().filter(|row| row.callers == *callers && row.system.is_queue());
        let fastest = fastest.map(|row| row.measured.cycles_per_second).fold(0.0, f64::max);
        let ratio = if fastest > 0.0 {
            format!("{:.2}", measured.cycles_per_second / fastest)
        } else {
            String::new()
        };
        let database =
            measured.database_cpu_milliseconds.map(|time| format!("{time:.2}")).unwrap_or_default();
        // Writing to a text never fails.
        let _ = writeln!(
            text,
            "| {} | {callers} | {:.0} | {:.1} | {:.1} | {:.2} | {database} | {ratio} |",
            system.title(),
            measured.cycles_per_second,
            measured.p50,
            measured.p99,
            measured.cpu_milliseconds,
        );
    }
    text
}

impl System {
    /// Whether it does what a job queue does. pgbench only writes rows.
    fn is_queue(&self) -> bool {
        matches!(self, Self::Peer(peer) if *peer != Peer::Pgbench)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_job_queue_of_as_many_callers_is_one() {
        let row = |system, callers, cycles_per_second| Row {
            system,
            callers,
            measured: Measured {
                cycles_per_second,
                p50: 1.0,
                p99: 2.0,
                cpu_milliseconds: 0.5,
                database_cpu_milliseconds: None,
            },
        };
        let rows = [
            row(System::AccordOnSqlite, 8, 50.0),
            row(System::Peer(Peer::Pgbench), 8, 400.0),
            row(System::Peer(Peer::PgBoss), 8, 100.0),
            row(System::Peer(Peer::GraphileWorker), 8, 80.0),
            row(System::AccordOnPostgres(2), 1, 5.0),
        ];
        let text = markdown(&rows);
        let ratios: Vec<&str> = text
            .lines()
            .skip(2)
            .map(|line| line.trim_end_matches(" |").rsplit("| ").next().unwrap_or("").trim())
            .collect();
        assert_eq!(ratios, ["0.50", "4.00", "1.00", "0.80", ""]);
    }
}
