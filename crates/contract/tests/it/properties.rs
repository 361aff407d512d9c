//! Properties of every text: an accepted value conforms, a valid document is returned unchanged,
//! nothing panics.

use accord_contract::Meter;
use accord_contract::{Accepted, Answer, Contract, Mode, Source, SpanKind, Verdict, infer, judge, same};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Number, Value, json};

use crate::judging::contract;

/// Schemas of different strictness; the last accepts anything.
fn schemas() -> Vec<Value> {
    vec![
        json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}),
        json!({"type": "object", "required": ["a", "b"], "additionalProperties": false,
            "properties": {"a": {"type": ["number", "null"]}, "b": {"type": "array", "items": {"type": "string"}}}}),
        json!({"type": "array", "items": {"enum": ["low", "high", 1]}}),
        json!({"anyOf": [{"type": "boolean"}, {"type": "object", "additionalProperties": {"type": "boolean"}}]}),
        json!(true),
    ]
}

/// Texts made of fragments of damaged answers.
fn token_soup() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ",",
        ":",
        ";",
        "\"",
        "'",
        "`",
        "```",
        "```json\n",
        "~~~",
        "\n",
        " ",
        "\t",
        "\"a\"",
        "\"b\"",
        "a",
        "b",
        "a:",
        "\"a\":",
        "1",
        "-2.5",
        "1e400",
        "0x1f",
        "1,000",
        "true",
        "True",
        "null",
        "None",
        "undefined",
        "NaN",
        "low",
        "\"low\"",
        "\"LOW\"",
        "//",
        "/*",
        "*/",
        "#",
        "<think>",
        "</think>",
        "<![CDATA[",
        "]]>",
        "\\",
        "\\\"",
        "\\u00e9",
        "\\ud800",
        "…",
        "...",
        "“",
        "”",
        "\u{a0}",
        "🚀",
        "\0",
        "+",
        "{\"a\": 1}",
        "{\"a\": 1, \"b\": \"x\"}",
        "[\"low\"]",
        "{\"name\": \"f\", \"arguments\": {\"a\": 2}}",
    ]);
    vec(token, 0..24).prop_map(|tokens| tokens.concat())
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        "-?[1-9][0-9]{0,40}(\\.[0-9]{1,20})?(e-?[1-9][0-9]?)?"
            .prop_map(|text| text.parse().expect("a JSON number")),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number().prop_map(Value::Number),
        any::<String>().prop_map(Value::String),
        "[ -~]{0,20}".prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::Array),
            btree_map("[a-z ]{0,6}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn accepted(text: &str, contract: &Contract) -> Option<(Value, Source)> {
    match judge(&Answer::text(text), contract, &Meter::default()) {
        Verdict::Accepted(accepted) => Some((accepted.value, accepted.source)),
        Verdict::Rejected(rejected) => {
            assert!(!rejected.violations.errors.is_empty(), "a refusal says why");
            None
        }
    }
}

fn conforms_if_accepted(text: &str) {
    for schema in schemas() {
        for mode in [Mode::Strict, Mode::Lenient] {
            let contract = contract(&schema, mode);
            if let Verdict::Accepted(Accepted { value, account, .. }) =
                judge(&Answer::text(text), &contract, &Meter::default())
            {
                assert!(
                    contract.schema().accepts(&value, &Meter::default()),
                    "{value} of {text:?} breaks {schema}"
                );
                assert_eq!(account.check(text, &value), Ok(()), "{text:?} under {schema}");
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::judging::cases(512))]

    #[test]
    fn accepted_values_conform(text in token_soup()) {
        conforms_if_accepted(&text);
    }

    #[test]
    fn any_characters_get_a_verdict(text in any::<String>()) {
        conforms_if_accepted(&text);
    }

    #[test]
    fn any_bytes_get_a_verdict(bytes in vec(any::<u8>(), 0..200)) {
        conforms_if_accepted(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn lenient_accepts_everything_strict_accepts(text in token_soup()) {
        for schema in schemas() {
            if let Some((strict, _)) = accepted(&text, &contract(&schema, Mode::Strict)) {
                let lenient = accepted(&text, &contract(&schema, Mode::Lenient));
                prop_assert!(lenient.is_some_and(|(value, _)| same(&value, &strict)), "{text:?} under {schema}");
            }
        }
    }

    #[test]
    fn a_word_inside_a_candidate_is_never_lost(document in document(), word in "[a-zA-Zäжه中]{1,8}", pick in any::<usize>()) {
        prop_assume!(document.is_object() || document.is_array());
        let contract = contract(&infer([&document], &Meter::default()).unwrap(), Mode::Lenient);
        for text in [document.to_string(), format!("{document:#}"), document.to_string().replace("\":", "\" :\t")] {
            let Verdict::Accepted(accepted) = judge(&Answer::text(&text), &contract, &Meter::default()) else { continue };
            let spans = accepted.account.spans(&text);
            let is_place = |text: &str| ["{", "}", "[", "]", ",", ":"].contains(&text) || text.trim().is_empty();
            let places: Vec<usize> = spans
                .iter()
                .skip(1)
                .filter(|span| matches!(span.kind, SpanKind::Structure | SpanKind::Space))
                .filter(|span| is_place(&text[span.range.clone()]))
                .map(|span| span.range.start)
                .collect();
            let Some(&at) = places.get(pick % places.len().max(1)) else { continue };
            let with_word = format!("{} {word} {}", &text[..at], &text[at..]);
            if let Some((value, _)) = self::accepted(&with_word, &contract) {
                prop_assert!(!same(&value, &accepted.value), "{with_word}");
            }
        }
    }

    #[test]
    fn a_valid_document_is_returned_unchanged(document in document()) {
        let schema = infer([&document], &Meter::default()).unwrap();
        for mode in [Mode::Strict, Mode::Lenient] {
            for text in [document.to_string(), format!("{document:#}"), format!("\u{feff}\n {document} \n")] {
                let judged = accepted(&text, &contract(&schema, mode));
                prop_assert_eq!(judged, Some((document.clone(), Source::Text)), "{}", text);
            }
        }
    }

    #[test]
    fn a_document_in_a_fence_is_returned_unchanged(document in document()) {
        prop_assume!(document.is_object() || document.is_array());
        let text = format!("Here it is:\n```json\n{document:#}\n```\nDone.");
        let judged = accepted(&text, &contract(&infer([&document], &Meter::default()).unwrap(), Mode::Strict));
        prop_assert_eq!(judged, Some((document.clone(), Source::Fence)));
    }
}
