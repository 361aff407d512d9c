//! Marks at the beginnings of lines: the numbers of lines, the signs of a quotation, those of lines that a diff adds. They
//! are no part of what the lines hold, and between the items of a list they look like items.

/// What marks a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// `> `
    Quotation,
    /// `+`
    Added,
    /// The number of the line and what separates it from the line.
    Number { number: usize, separator: char },
}

/// A text without the marks of its lines. Nothing where no two lines in a row are marked.
pub(super) fn unmarked(text: &str) -> Option<String> {
    let lines: Vec<(&str, Option<(Mark, &str)>)> =
        text.split_inclusive('\n').map(|line| (line, mark(line))).collect();
    let mut plain = String::with_capacity(text.len());
    let (mut depth, mut found) = (0_usize, false);
    let mut rest = lines.as_slice();
    while !rest.is_empty() {
        let length = run(rest);
        // In a value that has begun before, numbers are keys or items.
        let marked = length >= 2 && depth == 0;
        let (lines, behind) = rest.split_at(length.max(1));
        for (line, mark) in lines {
            let line = mark.filter(|_| marked).map_or(*line, |(_, inside)| inside);
            depth = line.bytes().fold(depth, deeper);
            plain.push_str(line);
        }
        found |= marked;
        rest = behind;
    }
    found.then_some(plain)
}

/// How many lines from the first on have the same mark, or count on.
fn run(lines: &[(&str, Option<(Mark, &str)>)]) -> usize {
    let marks = lines.iter().map_while(|(_, mark)| mark.map(|(mark, _)| mark));
    let Some(first) = marks.clone().next() else { return 0 };
    let expected = |index: usize| match first {
        Mark::Number { number, separator } => Mark::Number { number: number + index, separator },
        other => other,
    };
    marks.enumerate().take_while(|(index, mark)| *mark == expected(*index)).count()
}

/// How many brackets are open behind a byte.
fn deeper(depth: usize, byte: u8) -> usize {
    match byte {
        b'{' | b'[' => depth + 1,
        b'}' | b']' => depth.saturating_sub(1),
        _ => depth,
    }
}

/// The mark of a line, and the line behind it.
fn mark(line: &str) -> Option<(Mark, &str)> {
    /// Nobody counts more lines.
    const DIGITS: usize = 7;
    let inside = line.trim_start_matches([' ', '\t']);
    if let Some(behind) = inside.strip_prefix('>') {
        return Some((Mark::Quotation, behind.strip_prefix(' ').unwrap_or(behind)));
    }
    if let Some(behind) = line.strip_prefix('+') {
        return Some((Mark::Added, behind));
    }
    let digits = inside.bytes().take(DIGITS).take_while(u8::is_ascii_digit).count();
    let (number, behind) = inside.split_at(digits);
    let bar = behind.trim_start_matches(' ');
    let behind = if bar.starts_with('|') { bar } else { behind };
    let separator = behind.chars().next()?;
    let behind = behind.get(separator.len_utf8()..)?;
    let separates = match separator {
        ' ' | '\t' | '|' | '\u{2192}' => true,
        '.' | ':' | ')' => behind.starts_with(char::is_whitespace),
        _ => false,
    };
    let number = number.parse().ok().filter(|_| separates)?;
    Some((Mark::Number { number, separator }, behind))
}

#[cfg(test)]
mod tests {
    use super::unmarked;

    #[test]
    fn marks_of_lines_are_left_out() {
        for (text, plain) in [
            ("1 [\n2   10\n3 ]", "[\n  10\n]"),
            ("Here:\n  9\t{\n 10\t}\nDone.", "Here:\n{\n}\nDone."),
            ("1: {\n2:   \"a\": 1\n3: }", " {\n   \"a\": 1\n }"),
            ("     1\u{2192}{\n     2\u{2192}}", "{\n}"),
            ("1 | [\n2 | ]", " [\n ]"),
            ("> {\n>   \"a\": 1\n> }", "{\n  \"a\": 1\n}"),
            ("+[\n+ 1\n+]", "[\n 1\n]"),
        ] {
            assert_eq!(unmarked(text).as_deref(), Some(plain), "{text}");
        }
    }

    #[test]
    fn numbers_in_a_value_are_no_marks() {
        for text in
            ["{\n1: \"a\",\n2: \"b\"\n}", "[\n1 2\n2 3\n]", "1.5\n2.5", "12:30\n13:30", "> x", "1 a\n3 b", ""]
        {
            assert_eq!(unmarked(text), None, "{text}");
        }
    }
}
