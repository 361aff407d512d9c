//! Tables for people. In a pipe they have no frame and no colour, one row a line.
//!
//! On a terminal a table is fitted to its width, and a row stays a line: what the next command needs, ids and names, is
//! never broken, so that it can be copied. A free text is shortened, and columns that can be done without are left out; where
//! that is not enough, the terminal breaks the line.

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Width, presets};

use crate::output;

/// Blanks between columns.
const GAP: u16 = 2;

/// A column of free text that is narrower than this is useless.
const LEAST_TEXT: u16 = 20;

/// Columns of the terminal; none in a pipe, or if it does not say.
pub(crate) fn terminal_width() -> Option<u16> {
    let width = if output::stdout_is_terminal() { comfy_table::Table::new().width() } else { None };
    width.filter(|width| *width > 0)
}

/// Rows under names of columns.
pub(crate) struct Table {
    table: comfy_table::Table,
    names: Vec<String>,
    spare: Vec<usize>,
    free_text: Option<usize>,
    /// Columns of the terminal. Some do not know, and a pipe has none.
    width: Option<u16>,
}

/// A table with these columns.
pub(crate) fn new(columns: &[&str]) -> Table {
    let mut table = comfy_table::Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| column.to_uppercase())).set_truncation_indicator("…");
    for column in table.column_iter_mut() {
        column.set_padding((0, GAP));
    }
    let names = columns.iter().map(|&column| column.to_owned()).collect();
    Table { table, names, spare: Vec::new(), free_text: None, width: terminal_width() }
}

impl Table {
    /// Columns that are omitted if the terminal is too narrow, in this order.
    pub(crate) fn spare(mut self, columns: &[&str]) -> Self {
        self.spare = columns.iter().filter_map(|column| self.index(column)).collect();
        self
    }

    /// The column whose text may be shortened.
    pub(crate) fn free_text(mut self, column: &str) -> Self {
        self.free_text = self.index(column);
        self
    }

    pub(crate) fn add_row(&mut self, row: impl Into<Row>) {
        self.table.add_row(row);
    }

    /// Whether every line fits the terminal, whatever is left out for it.
    pub(crate) fn fits(&self) -> bool {
        self.width.is_none_or(|width| self.layout(width).1 <= width)
    }

    /// The table as text, without blanks at the ends of lines.
    pub(crate) fn text(mut self) -> String {
        if let Some(width) = self.width {
            self.fit(width);
        }
        let lines = self.table.lines().map(|line| format!("{}\n", line.trim_end()));
        lines.collect()
    }

    fn index(&self, column: &str) -> Option<usize> {
        self.names.iter().position(|name| name == column)
    }

    fn fit(&mut self, width: u16) {
        let (left_out, needed) = self.layout(width);
        for &column in &left_out {
            self.constrain(column, ColumnConstraint::Hidden);
        }
        if let Some(column) = self.free_text.filter(|column| !left_out.contains(column)) {
            let natural = self.table.column_max_content_widths().get(column).copied().unwrap_or_default();
            let room = natural.min(LEAST_TEXT).saturating_add(width.saturating_sub(needed));
            let width = natural.min(room).saturating_add(GAP);
            self.constrain(column, ColumnConstraint::Absolute(Width::Fixed(width)));
        }
        for row in self.table.row_iter_mut() {
            row.max_height(1);
        }
    }

    fn constrain(&mut self, column: usize, constraint: ColumnConstraint) {
        if let Some(column) = self.table.column_mut(column) {
            column.set_constraint(constraint);
        }
    }

    /// The columns that have to be left out, and what the others need with the text at its shortest.
    fn layout(&self, width: u16) -> (Vec<usize>, u16) {
        let natural = self.table.column_max_content_widths();
        let needed = |left_out: &[usize]| {
            let kept = natural.iter().enumerate().filter(|(column, _)| !left_out.contains(column));
            let least = kept.map(|(column, width)| match self.free_text {
                Some(text) if text == column => LEAST_TEXT.min(*width),
                _ => *width,
            });
            let sum = least.fold(0_u16, |sum, width| sum.saturating_add(width).saturating_add(GAP));
            // The last column has no gap after it.
            sum.saturating_sub(GAP)
        };
        let mut left_out = Vec::new();
        for &column in &self.spare {
            if needed(&left_out) <= width {
                break;
            }
            left_out.push(column);
        }
        let needed = needed(&left_out);
        (left_out, needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Table {
        /// As on a terminal of this width.
        pub(crate) fn within(self, width: u16) -> Self {
            Self { width: Some(width), ..self }
        }
    }

    fn table() -> Table {
        let mut table = new(&["id", "kind", "tokens", "said"]).spare(&["tokens", "kind"]).free_text("said");
        table.add_row([
            "run_0123456789abcdef",
            "failed",
            "12.3k in, 678 out",
            "Nobody can log in since nine o'clock",
        ]);
        table.add_row(["run_2", "done", "", "short"]);
        table
    }

    #[test]
    fn a_row_stays_a_line_and_an_id_whole() {
        insta::assert_snapshot!(table().within(200).text(), @r#"
        ID                    KIND    TOKENS             SAID
        run_0123456789abcdef  failed  12.3k in, 678 out  Nobody can log in since nine o'clock
        run_2                 done                       short
        "#);
        insta::assert_snapshot!(table().within(80).text(), @r#"
        ID                    KIND    TOKENS             SAID
        run_0123456789abcdef  failed  12.3k in, 678 out  Nobody can log in since nine…
        run_2                 done                       short
        "#);
        insta::assert_snapshot!(table().within(60).text(), @r#"
        ID                    KIND    SAID
        run_0123456789abcdef  failed  Nobody can log in since nine…
        run_2                 done    short
        "#);
        insta::assert_snapshot!(table().within(44).text(), @r#"
        ID                    SAID
        run_0123456789abcdef  Nobody can log in…
        run_2                 short
        "#);
        assert!(table().within(42).fits() && !table().within(41).fits(), "an id of 20, a gap, a text of 20");
        assert_eq!(table().within(20).text(), table().within(42).text(), "an id is never broken");
    }

    #[test]
    fn in_a_pipe_nothing_is_left_out() {
        assert_eq!(table().text(), table().within(200).text());
    }
}
