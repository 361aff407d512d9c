//! The judge over the public sample of recorded answers, and over texts that are near to them.

use accord_corpus::{Case, Expected, Score, Thresholds, parse, same_value};

#[test]
fn the_public_sample_is_judged_as_expected() {
    let cases = parse(include_str!("../corpus/public_sample.jsonl")).unwrap();
    assert_eq!(cases.len(), 60);
    let score = Score::of(&cases, Case::judged);
    assert_eq!(score.shortfalls(Thresholds::default()), [] as [&str; 0], "{:#?}", score.faults);
}

#[test]
fn the_neighbours_of_recorded_answers_are_judged_as_expected() {
    for case in parse(include_str!("../corpus/neighbours.jsonl")).unwrap() {
        let expected = match &case.expected {
            Expected::Value(value) => Some(value),
            Expected::Reject => None,
        };
        let judged = case.judged();
        let same = match (&judged, expected) {
            (Some(judged), Some(expected)) => same_value(judged, expected),
            (judged, expected) => judged.is_none() && expected.is_none(),
        };
        assert!(same, "{}: {judged:?}", case.id);
    }
}
