//! Words that stand apart, as a scalar does that is meant as a value: a line of its own, what a line ends with behind a colon, a code
//! span, the content of a tag. Prose has numbers and quotations too, so nothing is taken from here; but a value that is said so may
//! replace or complete the one that was found.

use std::ops::Range;

/// The stretches of a text that stand apart in a range of it.
pub(crate) fn scalars_apart(text: &str, range: Range<usize>) -> impl Iterator<Item = &str> {
    // The first line of the range may begin before it.
    let begins_line =
        text.get(..range.start).is_none_or(|before| before.is_empty() || before.ends_with('\n'));
    let lines = text.get(range).unwrap_or_default().lines().enumerate();
    lines.flat_map(move |(index, line)| {
        let whole = Some(whole(line)).filter(|_| index > 0 || begins_line);
        whole.into_iter().chain(behind_colon(line)).chain(in_code(line)).chain(in_tags(line))
    })
}

/// The line without the marks of lists, quotations and emphasis around it.
fn whole(line: &str) -> &str {
    let mut line = line.trim();
    while let Some((mark, rest)) = line.split_once(' ') {
        if !matches!(mark, "-" | "*" | "+" | ">" | "•") {
            break;
        }
        line = rest.trim_start();
    }
    bare(line)
}

fn behind_colon(line: &str) -> Option<&str> {
    let (_, behind) = line.rsplit_once([':', '：'])?;
    Some(bare(behind))
}

/// Without the marks at the end of a sentence and those of emphasis.
fn bare(part: &str) -> &str {
    let is_mark = |letter: char| letter.is_whitespace() || "*`_".contains(letter);
    part.trim_matches(is_mark).trim_end_matches(['.', ',', ';', '!']).trim_matches(is_mark)
}

fn in_code(line: &str) -> impl Iterator<Item = &str> {
    let mut parts = line.split('`').skip(1);
    std::iter::from_fn(move || {
        let inside = parts.next()?;
        parts.next().map(|_| inside.trim())
    })
}

fn in_tags(line: &str) -> impl Iterator<Item = &str> {
    line.split('>').skip(1).filter_map(|part| part.split_once('<')).map(|(inside, _)| inside.trim())
}
