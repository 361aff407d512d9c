//! Reasoning tags: what they hide and what they do not.

use accord_contract::{Contract, Mode};
use serde_json::{Value, json};

use crate::judging::{contract, value};

fn schema(document: Value) -> Contract {
    contract(&document, Mode::Strict)
}

fn lenient(document: Value) -> Contract {
    contract(&document, Mode::Lenient)
}

/// `{"a": integer}`.
fn one() -> Value {
    json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}})
}

#[test]
fn reasoning_tags_are_recognised_by_name() {
    for (open, close) in [
        ("<longcat_think>", "</longcat_think>"),
        ("<mm:think>", "</mm:think>"),
        ("<redacted_thinking>", "</redacted_thinking>"),
        ("<chain_of_thought>", "</chain_of_thought>"),
        ("<Analysis>", "</analysis>"),
        ("<self-reflection>", "</self-reflection>"),
        ("<thinking_process>", "</thinking_process>"),
        ("<thoughtProcess>", "</thoughtProcess>"),
        ("<chainOfThought>", "</chainOfThought>"),
        ("<reasoning-steps>", "</reasoning-steps>"),
        ("<thought_1>", "</thought_1>"),
        ("<cot>", "</cot>"),
        ("```thinking\n", "\n```\n"),
        ("[think]", "[/think]"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
        ("<|thinking_start|>", "<|thinking_end|>"),
        ("<|think|>", "<|/think|>"),
        ("<|inner_prefix|>", "<|inner_suffix|>"),
        ("<|channel>thought\n", "<channel|>"),
    ] {
        for contract in [schema(one()), lenient(one())] {
            let draft = format!("{open}maybe {{\"a\": 1}}?{close}");
            assert_eq!(value(&contract, &format!("{draft} I cannot tell.")), None, "{draft}");
            assert_eq!(value(&contract, &format!("{draft}{{\"a\": 2}}")), Some(json!({"a": 2})), "{draft}");
            assert_eq!(value(&contract, &format!("{open}maybe {{\"a\": 1}}")), None, "{open}");
        }
    }
}

#[test]
fn a_scalar_alone_after_reasoning_is_accepted() {
    let integer = json!({"type": "integer"});
    let listed = json!({"enum": ["yes", "no"]});
    for (document, text, expected) in [
        (&integer, "<think>41?</think>\n42", Some(json!(42))),
        (&integer, "perhaps 41</think>42", Some(json!(42))),
        (&integer, "42<|im_end|>", Some(json!(42))),
        (&integer, "42<end_of_turn>\n", Some(json!(42))),
        (&integer, "<think>41?</think><answer>\n42\n</answer>", Some(json!(42))),
        (&listed, "<think>hm</think>\n\n\"yes\"", Some(json!("yes"))),
        (&listed, "[THINK]{no}[/THINK]\"yes\"", Some(json!("yes"))),
        (&json!({"type": "boolean"}), "</think>\n\ntrue", Some(json!(true))),
        (&json!({"type": "string"}), "<think>hm</think>\"{name} of [x]\"", Some(json!("{name} of [x]"))),
        (&integer, "<think>42", None),
        (&integer, "42</think>", None),
        (&integer, "<think>hm</think>It is 42", None),
        (&integer, "<error>42</error>", None),
        (&integer, "<answer>41</answer><answer>42</answer>", None),
    ] {
        assert_eq!(value(&schema(document.clone()), text), expected, "{text}");
        assert_eq!(value(&lenient(document.clone()), text), expected, "{text}");
    }
    assert_eq!(value(&lenient(json!({"type": "boolean"})), "<think>hm</think>True"), Some(json!(true)));
    assert_eq!(value(&lenient(json!({"type": "string"})), "<think>hm</think>True"), None);
    for text in ["<think>no?</think>\nyes", "<answer>Yes</answer>", "no</think>yes"] {
        assert_eq!(value(&schema(listed.clone()), text), None, "{text}");
        assert_eq!(value(&lenient(listed.clone()), text), Some(json!("yes")), "{text}");
    }
}
