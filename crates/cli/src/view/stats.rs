//! Figures over runs, as tables.

use std::fmt::Write as _;

use accord_api::{ErrorCount, SourceCounts, Stats, StatsRow, ValueSource};
use comfy_table::Cell;

use super::Tone;
use super::text::{cost, count, counted, duration, line};
use crate::table::{self, Table};

/// How wide a bar of 100 percent is.
const BAR_COLUMNS: usize = 10;

/// Whether rates have a bar beside them: for eyes, not for `cut`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bars {
    /// They have.
    Drawn,
    /// Numbers only.
    None,
}

/// All figures.
pub(crate) fn view(stats: &Stats, bars: Bars) -> String {
    let mut text = rows("", std::slice::from_ref(&stats.all), bars);
    let groups = [
        ("agent", &stats.by_agent),
        ("model", &stats.by_model),
        ("strategy", &stats.by_strategy),
        if stats.by_hour.is_empty() { ("day", &stats.by_day) } else { ("hour", &stats.by_hour) },
    ];
    for (name, group) in groups.into_iter().filter(|(_, group)| !group.is_empty()) {
        let _ = write!(text, "\n{}", rows(name, group, bars));
    }
    if stats.all.sources != SourceCounts::default() {
        let _ = write!(text, "\n{}", sources(&stats.all.sources));
    }
    if !stats.errors.is_empty() {
        let _ = write!(text, "\n{}", errors(&stats.errors));
    }
    text
}

/// A bar is drawn where there is room for all of it.
fn rows(name: &str, rows: &[StatsRow], bars: Bars) -> String {
    let drawn = table(name, rows, bars);
    if drawn.fits() { drawn.text() } else { table(name, rows, Bars::None).text() }
}

fn table(name: &str, rows: &[StatsRow], bars: Bars) -> Table {
    let stopped: &[&str] = if rows.iter().any(|row| row.stopped > 0) { &["stopped"] } else { &[] };
    let rates = [name, "runs", "success", "first try", "retried", "failed"];
    let head = [rates.as_slice(), stopped, &["tokens", "cost", "p50", "p95"]].concat();
    let mut table = table::new(&head).spare(&["tokens", "cost"]);
    for row in rows {
        let shares = Shares::of(row);
        let tokens = format!("{} in, {} out", count(row.input_tokens), count(row.output_tokens));
        let mut cells = vec![
            row.runs.to_string(),
            rate(shares.success, bars),
            rate(shares.first_try, Bars::None),
            rate(shares.success - shares.first_try, Bars::None),
            rate(shares.failed, Bars::None),
        ];
        cells.extend(stopped.iter().map(|_| rate(shares.stopped, Bars::None)));
        cells.extend([
            tokens,
            row.cost_usd.map(cost).unwrap_or_default(),
            duration(row.latency_ms_p50),
            duration(row.latency_ms_p95),
        ]);
        // A run that ended before a model was asked has no model and no strategy.
        let key = if row.key.is_empty() { "(none)".to_owned() } else { line(&row.key) };
        let key = Tone::Plain.cell(&key);
        table.add_row(std::iter::once(key).chain(cells.into_iter().map(Cell::new)));
    }
    table
}

/// Where accepted values stood in their answers.
fn sources(counts: &SourceCounts) -> String {
    let mut table = table::new(&["source", "results"]);
    let SourceCounts { structured, text, fence, prose, human } = *counts;
    let counts = [structured, text, fence, prose, human];
    let of_models = |(source, count): &(ValueSource, u64)| *source != ValueSource::Human || *count > 0;
    for (source, count) in ValueSource::ALL.iter().copied().zip(counts).filter(of_models) {
        table.add_row([source.as_str().to_owned(), count.to_string()]);
    }
    table.text()
}

fn errors(errors: &[ErrorCount]) -> String {
    let mut table = table::new(&["field", "keyword", "errors"]);
    for error in errors {
        table.add_row([line(&error.path), line(&error.keyword), error.count.to_string()]);
    }
    table.text()
}

/// Percentages of the finished runs, rounded so that they add up: success, failed and stopped are all of them, and those that were
/// completed on the first try are a part of success.
struct Shares {
    success: u64,
    first_try: u64,
    failed: u64,
    stopped: u64,
}

impl Shares {
    fn of(row: &StatsRow) -> Self {
        let percent = |count: u64| {
            let rounded = count.saturating_mul(100).saturating_add(row.runs / 2);
            rounded.checked_div(row.runs).unwrap_or_default().min(100)
        };
        let success = percent(row.completed);
        let stopped = percent(row.stopped).min(100 - success);
        let failed = if row.runs == 0 { 0 } else { 100 - success - stopped };
        Self { success, first_try: percent(row.first_try).min(success), failed, stopped }
    }
}

fn rate(percent: u64, bars: Bars) -> String {
    match bars {
        Bars::None => format!("{percent}%"),
        Bars::Drawn => format!("{} {percent}%", bar(percent)),
    }
}

fn bar(percent: u64) -> String {
    let full =
        (0..BAR_COLUMNS).filter(|column| percent as usize >= (2 * column + 1) * 50 / BAR_COLUMNS).count();
    format!("{}{}", "█".repeat(full), "░".repeat(BAR_COLUMNS - full))
}

/// What was counted, in one sentence.
pub(crate) fn summary(stats: &Stats) -> String {
    let all = &stats.all;
    format!(
        "{} finished: {} completed, {} failed the contract; {} validated",
        counted(all.runs, "run"),
        all.completed,
        all.contract_failed,
        counted(all.attempts, "answer")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str) -> StatsRow {
        StatsRow {
            key: key.to_owned(),
            runs: 8,
            completed: 6,
            first_try: 4,
            after_retry: 2,
            failed: 2,
            contract_failed: 1,
            success_rate: 0.75,
            first_try_rate: 0.5,
            retry_rate: 0.25,
            failure_rate: 0.25,
            attempts: 11,
            sources: SourceCounts { structured: 3, text: 2, fence: 0, prose: 1, human: 0 },
            input_tokens: 12_345,
            output_tokens: 678,
            cost_usd: Some(0.0456),
            latency_ms_p50: 900,
            latency_ms_p95: 2_300,
            ..StatsRow::default()
        }
    }

    fn stats() -> Stats {
        Stats {
            all: row("all"),
            by_agent: vec![row("triage"), row("reader")],
            by_model: Vec::new(),
            by_strategy: vec![row("native")],
            by_hour: Vec::new(),
            by_day: Vec::new(),
            errors: vec![ErrorCount {
                path: "$.items[*].n".to_owned(),
                keyword: "type".to_owned(),
                count: 3,
            }],
            queue: accord_api::QueueStats::default(),
        }
    }

    #[test]
    fn figures_are_tables() {
        insta::assert_snapshot!(view(&stats(), Bars::None), @r#"
             RUNS  SUCCESS  FIRST TRY  RETRIED  FAILED  TOKENS             COST     P50    P95
        all  8     75%      50%        25%      25%     12.3k in, 678 out  $0.0456  900ms  2.3s

        AGENT   RUNS  SUCCESS  FIRST TRY  RETRIED  FAILED  TOKENS             COST     P50    P95
        triage  8     75%      50%        25%      25%     12.3k in, 678 out  $0.0456  900ms  2.3s
        reader  8     75%      50%        25%      25%     12.3k in, 678 out  $0.0456  900ms  2.3s

        STRATEGY  RUNS  SUCCESS  FIRST TRY  RETRIED  FAILED  TOKENS             COST     P50    P95
        native    8     75%      50%        25%      25%     12.3k in, 678 out  $0.0456  900ms  2.3s

        SOURCE      RESULTS
        structured  3
        text        2
        fence       0
        prose       1

        FIELD         KEYWORD  ERRORS
        $.items[*].n  type     3
        "#);
        assert_eq!(
            summary(&stats()),
            "8 runs finished: 6 completed, 1 failed the contract; 11 answers validated"
        );
    }

    #[test]
    fn a_bar_is_drawn_whole() {
        let rows = [row("invoice-reader")];
        insta::assert_snapshot!(table("agent", &rows, Bars::Drawn).within(80).text(), @r#"
        AGENT           RUNS  SUCCESS         FIRST TRY  RETRIED  FAILED  P50    P95
        invoice-reader  8     ████████░░ 75%  50%        25%      25%     900ms  2.3s
        "#);
        assert!(!table("agent", &[row("anthropic-claude-4-6")], Bars::Drawn).within(80).fits());
        assert!(table("agent", &[row("anthropic-claude-4-6")], Bars::None).within(80).fits());
    }

    #[test]
    fn a_bar_is_as_long_as_its_rate() {
        assert_eq!(rate(75, Bars::Drawn), "████████░░ 75%");
        assert_eq!(rate(0, Bars::Drawn), "░░░░░░░░░░ 0%");
        assert_eq!(rate(100, Bars::Drawn), "██████████ 100%");
    }

    #[test]
    fn percentages_add_up() {
        for runs in 1..=40 {
            for completed in 0..=runs {
                for stopped in 0..=runs - completed {
                    let first_try = completed / 2;
                    let failed = runs - completed - stopped;
                    let row = StatsRow { runs, completed, first_try, stopped, failed, ..StatsRow::default() };
                    let Shares { success, first_try, failed, stopped } = Shares::of(&row);
                    assert_eq!(success + failed + stopped, 100, "{row:?}");
                    assert!(first_try <= success, "{row:?}");
                    assert!(row.failed > 0 || failed == 0, "{row:?}");
                }
            }
        }
        let none = Shares::of(&StatsRow::default());
        assert_eq!((none.success, none.failed, none.stopped), (0, 0, 0));
        let row = StatsRow { stopped: 2, failed: 0, ..row("all") };
        let text = table("", &[row], Bars::None).text();
        assert!(text.contains("STOPPED") && text.contains("25%"), "{text}");
    }
}
