//! `--explain`: what each byte of the text is, drawn for people and as data.
//!
//! With colours, each span has the colour of its kind. Without, there is a mark below each character. A long text is folded:
//! its two ends and the lines around repairs and errors are shown, and `--json` has the rest.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use accord_contract::{RepairKind, Span, SpanKind, Verdict};
use owo_colors::{OwoColorize as _, Style};
use serde::Serialize;

use super::report;
use crate::document::Source;
use crate::excerpt::{display, width};

/// The columns of a row; longer lines are wrapped.
const ROW_WIDTH: usize = 100;

/// A text of more rows than this is folded.
const MAX_ROWS: usize = 80;

/// How many rows at the start and at the end of a folded text are shown.
const ENDS: usize = 8;

/// A span as data. The names and their order are API.
#[derive(Debug, Serialize)]
pub(super) struct AccountSpan {
    /// Byte offsets; both are the same where a repair adds something.
    start: usize,
    end: usize,
    line: usize,
    column: usize,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    repair: Option<RepairKind>,
}

/// The spans with their places.
pub(super) fn account(text: &str, spans: &[Span]) -> Vec<AccountSpan> {
    let (mut line, mut column) = (1, 1);
    let mut accounted = Vec::with_capacity(spans.len());
    for Span { range, kind } in spans {
        let repair = match kind {
            SpanKind::Repair(repair) => Some(*repair),
            _ => None,
        };
        let Range { start, end } = *range;
        accounted.push(AccountSpan { start, end, line, column, kind: SpanStyle::of(*kind).name, repair });
        for character in text.get(range.clone()).unwrap_or_default().chars() {
            (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
    }
    accounted
}

/// How a kind of span is drawn.
struct SpanStyle {
    name: &'static str,
    mark: char,
    style: Style,
}

impl SpanStyle {
    fn of(kind: SpanKind) -> Self {
        let style = Style::new();
        let (name, mark, style) = match kind {
            SpanKind::Value => ("value", 'v', style.green()),
            SpanKind::Structure => ("structure", 's', style.blue()),
            SpanKind::Space => ("space", '.', style),
            SpanKind::Comment => ("comment", 'c', style.magenta()),
            SpanKind::Repair(_) => ("repair", '^', style.yellow().bold().underline()),
            SpanKind::Prose => ("prose", 'p', style.bright_black()),
            SpanKind::Fence => ("fence", 'f', style.cyan()),
            SpanKind::Reasoning => ("reasoning", 'r', style.bright_black().italic()),
            SpanKind::Disowned => ("disowned", 'd', style.bright_black().strikethrough()),
            SpanKind::Refused => ("refused", 'x', style.red()),
        };
        Self { name, mark, style }
    }
}

/// A line of the text, or as much of one as fits.
#[derive(Default)]
struct Row {
    /// The line number, if it is the first row of its line.
    line: Option<usize>,
    start: usize,
    parts: Vec<(Range<usize>, SpanKind)>,
    width: usize,
    /// Whether it is shown even in a long text.
    is_kept: bool,
}

/// Draws the text with what each byte is, and a legend.
pub(super) fn draw(source: &Source, verdict: &Verdict, spans: &[Span], coloured: bool) -> String {
    let text = source.text.as_str();
    let mut rows = rows(text, spans, &report::places(text, verdict));
    fold(&mut rows);
    let gutter = rows.iter().filter_map(|row| row.line).max().unwrap_or(1).to_string().len();
    let mut drawing = String::new();
    let mut hidden = 0;
    for (index, row) in rows.iter().enumerate() {
        if !row.is_kept {
            hidden += rows.get(index + 1).map_or(text.len(), |next| next.start) - row.start;
            continue;
        }
        note_hidden(&mut drawing, gutter, &mut hidden);
        draw_row(&mut drawing, text, row, gutter, coloured);
    }
    note_hidden(&mut drawing, gutter, &mut hidden);
    let _ = writeln!(drawing, "{}", legend(spans, coloured));
    drawing
}

fn note_hidden(drawing: &mut String, gutter: usize, hidden: &mut usize) {
    if *hidden > 0 {
        let _ = writeln!(drawing, "{:gutter$} … {hidden} bytes not shown; --json has all spans", "");
        *hidden = 0;
    }
}

fn draw_row(drawing: &mut String, text: &str, row: &Row, gutter: usize, coloured: bool) {
    let number = row.line.map(|line| line.to_string()).unwrap_or_default();
    let bar = "|".blue().to_string();
    let _ = write!(drawing, "{:>gutter$} {bar} ", number.blue().bold());
    let mut marks = String::new();
    for (range, kind) in &row.parts {
        let SpanStyle { mark, style, .. } = SpanStyle::of(*kind);
        let shown = display(text.get(range.clone()).unwrap_or_default());
        marks.extend(std::iter::repeat_n(mark, width(&shown)));
        let _ = match coloured {
            true => write!(drawing, "{}", shown.style(style)),
            false => write!(drawing, "{shown}"),
        };
    }
    drawing.push('\n');
    if !coloured && !marks.is_empty() {
        let _ = writeln!(drawing, "{:gutter$} {bar} {marks}", "");
    }
}

/// The kinds that occur, with how many bytes each has.
fn legend(spans: &[Span], coloured: bool) -> String {
    let mut bytes = BTreeMap::<usize, (SpanStyle, usize)>::new();
    for span in spans {
        let order = match span.kind {
            SpanKind::Value => 0,
            SpanKind::Structure => 1,
            SpanKind::Space => 2,
            SpanKind::Comment => 3,
            SpanKind::Repair(_) => 4,
            SpanKind::Prose => 5,
            SpanKind::Fence => 6,
            SpanKind::Reasoning => 7,
            SpanKind::Disowned => 8,
            SpanKind::Refused => 9,
        };
        bytes.entry(order).or_insert_with(|| (SpanStyle::of(span.kind), 0)).1 += span.range.len();
    }
    let entry = |(SpanStyle { name, mark, style }, count): (SpanStyle, usize)| match coloured {
        true => format!("{} {count}", name.style(style)),
        false => format!("{mark} {name} {count}"),
    };
    let entries: Vec<String> = bytes.into_values().map(entry).collect();
    match entries.is_empty() {
        true => "bytes: none".to_owned(),
        false => format!("bytes: {}", entries.join(", ")),
    }
}

fn rows(text: &str, spans: &[Span], places: &[usize]) -> Vec<Row> {
    let mut rows = vec![Row { line: Some(1), ..Row::default() }];
    let mut line = 1;
    for Span { range, kind } in spans {
        let is_notable = matches!(kind, SpanKind::Repair(_) | SpanKind::Comment);
        let mut at = range.start;
        let mut open: Option<usize> = None;
        if let Some(row) = rows.last_mut().filter(|_| is_notable) {
            row.is_kept = true;
        }
        for character in text.get(range.clone()).unwrap_or_default().chars() {
            let end = at + character.len_utf8();
            let columns = width(&display(character.encode_utf8(&mut [0; 4])));
            let is_full = rows.last().is_some_and(|row| row.width + columns > ROW_WIDTH);
            if character != '\n' && is_full {
                push(&mut rows, open.take(), at, *kind);
                rows.push(Row { start: at, is_kept: is_notable, ..Row::default() });
            }
            if let Some(row) = rows.last_mut() {
                row.width += columns;
                row.is_kept |= places.contains(&at);
            }
            if character == '\n' {
                push(&mut rows, open.take(), at, *kind);
                line += 1;
                rows.push(Row { line: Some(line), start: end, ..Row::default() });
            } else {
                open.get_or_insert(at);
            }
            at = end;
        }
        push(&mut rows, open, at, *kind);
    }
    if rows.last().is_some_and(|row| row.parts.is_empty() && rows.len() > 1) {
        rows.pop();
    }
    rows
}

/// Ends a part of the last row.
fn push(rows: &mut [Row], start: Option<usize>, end: usize, kind: SpanKind) {
    if let (Some(start), Some(row)) = (start, rows.last_mut()) {
        row.parts.push((start..end, kind));
    }
}

/// Decides which rows are shown: all of a short text; of a long one its ends, and the rows that are kept with their neighbours,
/// as many as there is room for.
fn fold(rows: &mut [Row]) {
    let count = rows.len();
    let notable: Vec<usize> = (0..count).filter(|&at| rows.get(at).is_some_and(|row| row.is_kept)).collect();
    let is_long = count > MAX_ROWS;
    let (mut room, mut next) = (MAX_ROWS - 2 * ENDS, 0);
    for (at, row) in rows.iter_mut().enumerate() {
        while notable.get(next).is_some_and(|&kept| kept + 1 < at) {
            next += 1;
        }
        let is_end = at < ENDS || at + ENDS >= count;
        let is_near = room > 0 && notable.get(next).is_some_and(|&kept| kept <= at + 1);
        row.is_kept = !is_long || is_end || is_near;
        room -= usize::from(is_long && is_near && !is_end);
    }
}
