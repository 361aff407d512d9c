//! Text that is marked as not being the model's answer, brackets of markdown and of code, and code
//! that computes its values.

use accord_contract::{Contract, Mode};
use serde_json::{Value, json};

use crate::judging::{contract, value};

fn both(document: &Value) -> [Contract; 2] {
    [Mode::Strict, Mode::Lenient].map(|mode| contract(document, mode))
}

/// `{"a": integer}`.
fn one() -> Value {
    json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}})
}

fn strings() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

#[test]
fn text_of_other_speakers_is_not_the_answer() {
    for (open, close) in [
        ("<tool_response>\n", "\n</tool_response>"),
        ("<function_results>", "</function_results>"),
        ("<ToolOutput id=\"1\">", "</ToolOutput>"),
        ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
        ("<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"),
        (
            "<\u{ff5c}tool\u{2581}output\u{2581}begin\u{ff5c}>",
            "<\u{ff5c}tool\u{2581}output\u{2581}end\u{ff5c}>",
        ),
        ("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"),
        ("<|im_start|>tool\n", "\n<|im_start|>assistant\n"),
        ("<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"),
        ("<|start|>functions.look to=assistant<|channel|>commentary<|message|>", "<|end|>"),
        ("<start_of_turn>user\n", "<end_of_turn>\n<start_of_turn>model\n"),
        ("<|user|>\n", "<|assistant|>\n"),
        ("<\u{ff5c}User\u{ff5c}>", "<\u{ff5c}Assistant\u{ff5c}>"),
        ("[INST] ", " [/INST]"),
        ("<!-- perhaps ", " -->"),
        ("~~", "~~"),
        ("~~It is ", "~~"),
        ("<del>", "</del>"),
    ] {
        for contract in both(&one()) {
            let other = format!("{open}{{\"a\": 1}}{close}");
            assert_eq!(value(&contract, &format!("{other} I cannot tell.")), None, "{other}");
            assert_eq!(value(&contract, &format!("{other}{{\"a\": 2}}")), Some(json!({"a": 2})), "{other}");
            assert_eq!(value(&contract, &format!("{{\"a\": 2}}\n{other}")), Some(json!({"a": 2})), "{other}");
        }
    }
}

#[test]
fn marks_around_an_answer_do_not_hide_it() {
    for text in [
        "<s>{\"a\": 1}</s>",
        "<output>{\"a\": 1}</output>",
        "<result>{\"a\": 1}</result>",
        "<tool_call>{\"a\": 1}</tool_call>",
        "<function>{\"a\": 1}</function>",
        "<|im_start|>assistant\n{\"a\": 1}<|im_end|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\n{\"a\": 1}<|eot_id|>",
        "<|assistant|>{\"a\": 1}<|end|>",
        "Press <del> to go on. {\"a\": 1}",
        "Without `<tool_response>` and `<!--`: {\"a\": 1}",
        "about ~~5 km, so {\"a\": 1} or ~~ 6 km",
        "~~~\n{\"a\": 1}\n~~~",
        "```diff\n+{\"a\": 1}\n```",
        "```diff\n{\"a\": 1}\n```",
        "- {\"a\": 1}",
    ] {
        for contract in both(&one()) {
            assert_eq!(value(&contract, text), Some(json!({"a": 1})), "{text}");
        }
    }
}

#[test]
fn an_assigned_or_annotated_value_is_found() {
    for text in [
        "r = {\"a\": 1}\nprint(json.dumps(r))",
        "r = {\"a\": 1}\nHere `r` is the result.",
        "{\"a\": 1}[1][2]",
        "{\"a\": 1} [sic]",
        "{\"a\": 1}\n* 3 sources",
        "{\"a\": 1}.",
    ] {
        for contract in both(&one()) {
            assert_eq!(value(&contract, text), Some(json!({"a": 1})), "{text}");
        }
    }
}

#[test]
fn brackets_of_markdown_and_code_are_not_lists() {
    for (words, kind) in [
        ("- [x] done\n- [ ] todo\n", "string"),
        ("* [ ] write tests\n", "object"),
        ("1. [ ] write tests\n", "integer"),
        ("The field `tags: string[]` is missing.", "object"),
        ("data[\"users\"] is empty.", "string"),
        ("data['users'] is empty.", "string"),
        ("I looked at rows[0] and rows_[1].", "integer"),
        ("f(x)[1] fails.", "integer"),
        ("A `List[str]` is asked.", "string"),
        ("[1](https://a.example/b) says no.", "integer"),
        ("![a cat](cat.png)", "string"),
        ("See [the docs][1].", "integer"),
    ] {
        let list = json!({"type": "array", "items": {"type": kind}});
        for contract in both(&list) {
            assert_eq!(value(&contract, &format!("{words}\n\nI cannot answer.")), None, "{words}");
        }
        for contract in both(&strings()) {
            let answered = format!("{words}\n\n[\"a\", \"b\"]");
            assert_eq!(value(&contract, &answered), Some(json!(["a", "b"])), "{answered}");
        }
    }
}

#[test]
fn lists_next_to_words_are_lists() {
    let any = json!({"type": "array"});
    for (text, expected) in [
        ("functools[{\"a\": 1}]", json!([{"a": 1}])),
        ("[TOOL_CALLS][{\"a\": 1}]", json!([{"a": 1}])),
        ("\u{7ed3}\u{679c}[\"a\"]", json!(["a"])),
        ("x=[1, 2]", json!([1, 2])),
        ("f([1, 2])", json!([1, 2])),
        ("```json[1, 2]```", json!([1, 2])),
        ("- [1, 2]", json!([1, 2])),
        ("[\"a\"] (see above)", json!(["a"])),
    ] {
        for contract in both(&any) {
            assert_eq!(value(&contract, text), Some(expected.clone()), "{text}");
        }
    }
}
