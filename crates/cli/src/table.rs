//! Tables for people. In a pipe they have no frame and no colour, one row a line.

use comfy_table::{ContentArrangement, Table, presets};

use crate::output;

/// Blanks between columns.
const GAP: u16 = 2;

/// A table with these columns.
pub(crate) fn new(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    if output::stdout_is_terminal() {
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
