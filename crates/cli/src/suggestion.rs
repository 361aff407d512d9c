//! Suggestions for mistyped names.

/// The known name nearest to one that is not known, if it is near enough to be a typing mistake.
pub(crate) fn closest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = given.chars().count();
    let allowed = (length / 3).max(1);
    known
        .map(|name| (distance(given, name), name))
        .filter(|(distance, _)| *distance <= allowed && *distance < length)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters have to be inserted, removed, replaced or swapped with their neighbour (optimal string alignment).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut previous = None;
    for (row, letter) in left.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let at = |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX - 1);
            let replaced = at(&last, column) + usize::from(letter != *other);
            let mut best = replaced.min(at(&last, column + 1) + 1).min(at(&current, column) + 1);
            let swapped = column > 0 && previous == Some(*other) && right.get(column - 1) == Some(&letter);
            if swapped {
                best = best.min(at(&before_last, column - 1) + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
        previous = Some(letter);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_mistakes_are_near() {
        for (left, right, expected) in [
            ("rnu", "run", 1),
            ("run", "run", 0),
            ("", "run", 3),
            ("lisen", "listen", 1),
            ("agnets", "agents", 1),
        ] {
            assert_eq!(distance(left, right), expected, "{left} {right}");
        }
        let known = || ["run", "runs", "runner", "agents"].into_iter();
        assert_eq!(closest("rnu", known()), Some("run"));
        assert_eq!(closest("agnets", known()), Some("agents"));
        assert_eq!(closest("x", known()), None);
        assert_eq!(closest("deploy", known()), None);
    }
}
