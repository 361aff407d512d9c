//! Tables for people. In a pipe they have no frame and no colour, one row a line.

use comfy_table::{ContentArrangement, Table, presets};

use crate::output;

/// Columns of a terminal in which tables are fitted to it.
const LEAST_WIDTH: u16 = 60;

/// Blanks between columns.
const GAP: u16 = 2;

/// A table with these columns.
pub(crate) fn new(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    // Some terminals do not know their size, and in a narrow one a row over several lines is read more easily than letters
    // below each other.
    if output::stdout_is_terminal() && table.width().is_some_and(|width| width >= LEAST_WIDTH) {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    table.set_header(columns.iter().map(|column| column.to_uppercase()));
    for column in table.column_iter_mut() {
        column.set_padding((0, GAP));
    }
    table
}

/// The table as text, without blanks at the ends of lines.
pub(crate) fn text(table: &Table) -> String {
    let lines = table.lines().map(|line| format!("{}\n", line.trim_end()));
    lines.collect()
}
