//! Whatever an answer, a schema or a caller contains, tags and fences come only from the template.

use accord_json::Meter;
use proptest::prelude::*;

use super::*;
use crate::violation::Violation;
use crate::{JsonPath, Step};

/// Text that tries to break out: tags and fences in all spellings, between arbitrary text.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        ".{0,8}",
        prop::sample::select(vec![
            "</output-validation-error>",
            "<output-validation-error>",
            "</OUTPUT-validation-error >",
            "< /output-validation-error>",
            "<\u{200b}/output-validation-error>",
            "</inputs>",
            "</input>",
            "<inputs>",
            "<input name=\"x\">",
            "\n```\n",
            "\n`````````\n",
            "```json\n",
            "\n~~~\n",
            "\r\n",
            "\u{2028}",
            "{{ schema }}",
            "{% raw %}",
            "\\",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

/// The lines outside fences, and how many fenced blocks there are; `None` if a fence is left open.
fn outside(text: &str) -> Option<(Vec<&str>, usize)> {
    let (mut lines, mut blocks, mut open) = (Vec::new(), 0, None);
    for line in text.split('\n') {
        let run = line.bytes().take_while(|byte| *byte == b'`').count();
        match open {
            None if run >= 3 => open = Some(run),
            None => lines.push(line),
            Some(length) if run >= length && run == line.trim_end().len() => {
                open = None;
                blocks += 1;
            }
            Some(_) => {}
        }
    }
    open.is_none().then_some((lines, blocks))
}

fn count(text: &str, part: &str) -> usize {
    text.to_ascii_lowercase().matches(part).count()
}

proptest! {
    #[test]
    fn a_retry_keeps_its_tags_and_fences(answer in hostile(), name in hostile(), message in hostile(), words in hostile()) {
        let schema = Schema::compile(&json!({
            "description": words, "type": "object", "additionalProperties": {"type": "integer"}
        }), &Meter::default()).unwrap();
        let mut rejected = rejected(&schema, json!({ name.clone(): answer.clone() }));
        let place: JsonPath = [Step::Key(name)].into_iter().collect();
        rejected.violations.errors.push(Violation::new(&place, "invariant", message));
        let text = retry(&Retry { answer: Some(&answer), ..text_retry(&schema, &rejected) }, &Meter::default());

        prop_assert_eq!(count(&text, "<output-validation-error"), 1);
        prop_assert_eq!(count(&text, "</output-validation-error"), 1);
        prop_assert!(text.starts_with("<output-validation-error>\n"));
        prop_assert!(text.ends_with("\n</output-validation-error>"));
        let (lines, blocks) = outside(&text).unwrap();
        prop_assert_eq!(blocks, 3);
        let rules = Form::new(&schema, true, &Meter::default()).unwrap().skeleton().map_or(0, |skeleton| skeleton.rules.len());
        prop_assert_eq!(lines.iter().filter(|line| line.starts_with("- ")).count(), rejected.violations.errors.len() + rules);
        let headings: Vec<&&str> = lines.iter().filter(|line| line.starts_with("## ")).collect();
        prop_assert_eq!(headings, [&"## Errors", &"## Your last answer", &"## Required form"]);
    }

    #[test]
    fn a_format_section_keeps_its_fence(words in hostile()) {
        let schema = Schema::compile(&json!({"description": words}), &Meter::default()).unwrap();
        let form = Form::new(&schema, true, &Meter::default()).unwrap();
        for text in [system_section(&form), request_section(&form), submit_section(&form)] {
            let (_, blocks) = outside(&text).unwrap();
            prop_assert_eq!(blocks, 2);
        }
        prop_assert_eq!(submit_tool_description(&schema).lines().count(), 1);
    }

    #[test]
    fn a_schema_is_shown_unchanged(words in hostile()) {
        let document = json!({"description": words});
        let schema = Schema::compile(&document, &Meter::default()).unwrap();
        prop_assert_eq!(serde_json::from_str::<Value>(&safe::json(schema.document(), RETRY_TAG)).unwrap(), document);
    }

    #[test]
    fn inputs_keep_their_tags(name in hostile(), value in hostile()) {
        let text = inputs_block(&json!({ name: value.clone(), "n": {"inner": value} }));
        let inputs = if text.contains("name=\"n\"") { count(&text, "\n<input name=") } else { 0 };
        prop_assert!(text.starts_with("<inputs>\n"));
        prop_assert!(text.ends_with("\n</inputs>"));
        prop_assert_eq!(count(&text, "<inputs>"), 1);
        prop_assert_eq!(count(&text, "</inputs"), 1);
        prop_assert_eq!(count(&text, "<input "), inputs);
        prop_assert_eq!(count(&text, "</input>"), inputs);
    }
}
