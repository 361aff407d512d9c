//! The figures as Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::runs::Ended;

type All = [(&'static str, Vec<Ended>)];

/// Success, and what it took.
pub(crate) fn by_strategy(all: &All) -> String {
    let mut text = String::from(
        "| strategy | runs | success | at the first try | attempts per success | median s per run |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for (name, runs) in all {
        let completed: Vec<&Ended> = runs.iter().filter(|run| run.completed).collect();
        let first = completed.iter().filter(|run| run.is_first_try()).count();
        let attempts: usize = runs.iter().map(|run| run.outcomes.len()).sum();
        let each = match completed.len() {
            0 => "–".to_owned(),
            count => format!("{:.2}", attempts as f64 / count as f64),
        };
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {each} | {:.1} |",
            runs.len(),
            share(completed.len(), runs.len()),
            share(first, runs.len()),
            median(runs.iter().map(|run| run.seconds).collect()),
        );
    }
    text.push_str(
        "\nAttempts of failed runs count as attempts too: a success costs what it took to get one.\n\n",
    );
    text
}

/// Success by task, one column a strategy.
pub(crate) fn by_task(all: &All) -> String {
    let tasks: BTreeSet<&str> = all.iter().flat_map(|(_, runs)| runs).map(|run| run.task.as_str()).collect();
    let mut text = heading("task", all);
    for task in tasks {
        let _ = write!(text, "| {task} |");
        for (_, runs) in all {
            let of_task: Vec<&Ended> = runs.iter().filter(|run| run.task == task).collect();
            let completed = of_task.iter().filter(|run| run.completed).count();
            let _ = write!(text, " {} |", share(completed, of_task.len()));
        }
        text.push('\n');
    }
    text.push('\n');
    text
}

/// Answers that were refused, by reason, and runs that failed, by reason.
pub(crate) fn refused(all: &All) -> String {
    let mut text = heading("answers refused", all);
    rows(&mut text, all, |run| run.outcomes.iter().filter(|outcome| *outcome != "accepted").collect());
    text.push('\n');
    text.push_str(&heading("runs failed", all));
    rows(&mut text, all, |run| run.failure.iter().collect());
    text
}

fn heading(first: &str, all: &All) -> String {
    let names: String = all.iter().map(|(name, _)| format!(" {name} |")).collect();
    format!("| {first} |{names}\n|---|{}\n", "---:|".repeat(all.len()))
}

fn rows(text: &mut String, all: &All, words: impl Fn(&Ended) -> Vec<&String>) {
    let mut counts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (column, (_, runs)) in all.iter().enumerate() {
        for word in runs.iter().flat_map(&words) {
            let row = counts.entry(word.clone()).or_insert_with(|| vec![0; all.len()]);
            if let Some(count) = row.get_mut(column) {
                *count += 1;
            }
        }
    }
    for (word, row) in counts {
        let cells: String = row.iter().map(|count| format!(" {count} |")).collect();
        let _ = writeln!(text, "| `{word}` |{cells}");
    }
}

fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "–".to_owned(),
        whole => format!("{:.0} %", part as f64 * 100.0 / whole as f64),
    }
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or_default()
}
