//! Properties of damaged answers, also in fences and prose: an accepted value accounts for its
//! whole text, lenient accepts whatever strict accepts, and no word is ever skipped.

use accord_contract::Meter;
use accord_contract::{Accepted, Answer, Mode, Span, SpanKind, Verdict, judge, same};
use proptest::prelude::*;
use serde_json::Value;

use crate::corruptions::damage::DAMAGES;
use crate::corruptions::document::{Random, document, tokens, write};
use crate::judging::contract;

/// An answer and the schema that it was meant for.
#[derive(Debug, Clone)]
struct GeneratedAnswer {
    schema: Value,
    text: String,
}

const FRAMES: &[(&str, &str)] = &[
    ("", ""),
    ("", ""),
    ("```json\n", "\n```"),
    ("Here it is:\n\n```json\n", "\n```\nLet me know."),
    ("~~~\n", "\n~~~\n"),
    ("The result is ", "."),
    ("<think>maybe {\"a\": 1}</think>\n", ""),
    ("<answer>", "</answer>"),
    ("[TOOL_RESULTS]{}[/TOOL_RESULTS] So:\n", "\n"),
    ("\u{feff}\n", "\n\n"),
];

/// A document, unchanged or damaged, in one of the frames.
fn generated_answer(seed: u64) -> GeneratedAnswer {
    let mut random = Random(seed);
    let document = document(&mut random);
    let (before, behind) = *random.pick(FRAMES);
    let (schema, text) = match random.chance(20) {
        true => (document.schema, write(&tokens(&document.value), random.chance(50))),
        false => {
            let (_, damage) = *random.pick(DAMAGES);
            match damage(&mut random, &document) {
                Some(case) => (case.schema, case.text),
                None => (document.schema, document.value.to_string()),
            }
        }
    };
    GeneratedAnswer { schema, text: format!("{before}{text}{behind}") }
}

fn accepted(answer: &GeneratedAnswer, text: &str, mode: Mode) -> Option<Accepted> {
    match judge(&Answer::text(text), &contract(&answer.schema, mode), &Meter::default()) {
        Verdict::Accepted(accepted) => Some(accepted),
        Verdict::Rejected(_) => None,
    }
}

/// Positions inside a candidate where an inserted word is outside strings and comments.
fn places(text: &str, spans: &[Span]) -> Vec<usize> {
    let is_mark = |part: &str| ["{", "}", "[", "]", ",", ":"].contains(&part);
    let is_place = |span: &Span, before: &Span| {
        let part = &text[span.range.clone()];
        let is_outside = matches!(
            before.kind,
            SpanKind::Prose | SpanKind::Fence | SpanKind::Reasoning | SpanKind::Disowned
        );
        !is_outside
            && before.kind != SpanKind::Comment
            && match span.kind {
                SpanKind::Structure => is_mark(part),
                SpanKind::Space => true,
                SpanKind::Repair(_) => part.is_empty() && span.range.end == text.len(),
                _ => false,
            }
    };
    spans.windows(2).filter(|pair| is_place(&pair[1], &pair[0])).map(|pair| pair[1].range.start).collect()
}

#[test]
fn the_generator_reaches_accepted_texts() {
    let count = |mode| {
        (0..1000)
            .filter(|&seed| {
                let answer = generated_answer(seed);
                accepted(&answer, &answer.text, mode).is_some()
            })
            .count()
    };
    let (strict, lenient) = (count(Mode::Strict), count(Mode::Lenient));
    println!("{strict} strict and {lenient} lenient of 1000");
    assert!(strict > 100 && lenient > 500, "{strict} strict and {lenient} lenient of 1000");
}

proptest! {
    #![proptest_config(crate::judging::cases(512))]

    #[test]
    fn accepted_values_account_for_their_text(seed in any::<u64>()) {
        let answer = generated_answer(seed);
        for mode in [Mode::Strict, Mode::Lenient] {
            if let Some(Accepted { value, account, .. }) = accepted(&answer, &answer.text, mode) {
                prop_assert_eq!(account.check(&answer.text, &value), Ok(()), "{:?}", answer);
                prop_assert!(contract(&answer.schema, mode).schema().accepts(&value, &Meter::default()), "{:?}", answer);
            }
        }
    }

    #[test]
    fn lenient_accepts_damaged_text_that_strict_accepts(seed in any::<u64>()) {
        let answer = generated_answer(seed);
        if let Some(strict) = accepted(&answer, &answer.text, Mode::Strict) {
            let lenient = accepted(&answer, &answer.text, Mode::Lenient);
            prop_assert!(lenient.is_some_and(|lenient| same(&lenient.value, &strict.value)), "{answer:?}");
        }
    }

    #[test]
    fn a_word_in_a_damaged_candidate_is_never_lost(
        seed in any::<u64>(),
        word in "[a-zA-Zäжه中]{1,8}",
        pick in any::<prop::sample::Index>(),
        is_apart in any::<bool>(),
    ) {
        let answer = generated_answer(seed);
        for mode in [Mode::Strict, Mode::Lenient] {
            let Some(before) = accepted(&answer, &answer.text, mode) else { continue };
            let places = places(&answer.text, &before.account.spans(&answer.text));
            if places.is_empty() {
                continue;
            }
            let (left, right) = answer.text.split_at(places[pick.index(places.len())]);
            let text = if is_apart { format!("{left} {word} {right}") } else { format!("{left}{word}{right}") };
            if let Some(behind) = accepted(&answer, &text, mode) {
                prop_assert!(!same(&behind.value, &before.value), "{:?} in {}", mode, text);
            }
        }
    }
}
