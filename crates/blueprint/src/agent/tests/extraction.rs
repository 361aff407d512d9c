//! Allowed locations of a value in an answer, as written in agent files.

use super::problems_of;

const HEAD: &str = "name: a\nexecutor: { type: llm, provider: anthropic, model: m }\n";
const SCHEMA: &str = "{ type: object, properties: { n: { type: integer } } }";

fn with(tools: &str, options: &str) -> Vec<String> {
    let options =
        if options.is_empty() { String::new() } else { format!("output_schema_options: {options}\n") };
    problems_of("agent.yaml", &format!("{HEAD}tools: {tools}\noutput_schema: {SCHEMA}\n{options}"))
}

#[test]
fn every_form_of_extract_json_is_read() {
    for form in ["true", "false", "[]", "[fence]", "[prose]", "[fence, prose]"] {
        assert_eq!(with("[]", &format!("{{ extract_json: {form} }}")), Vec::<String>::new(), "{form}");
    }
}

#[test]
fn rejects_other_forms_of_extract_json() {
    for (form, expected) in [
        ("[fence, table]", "unknown value 'table'; expected one of fence, prose"),
        ("fence", "expected true, false, or a list of 'fence' and 'prose'"),
    ] {
        let problems = with("[]", &format!("{{ extract_json: {form} }}"));
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("$.output_schema_options.extract_json"), "{problems:?}");
        assert!(problems[0].contains(expected), "{problems:?}");
    }
}

#[test]
fn an_agent_that_can_change_things_decides_about_values_in_prose() {
    let warned = |problems: &[String]| problems.iter().any(|line| line.contains("'extract_json: [fence]'"));
    for tools in ["[write_file]", "[read_file, run_command]"] {
        let undecided = with(tools, "");
        assert_eq!(undecided.len(), 1, "{undecided:?}");
        assert!(
            undecided[0].contains("warning: $.output_schema_options: the agent can change things with '")
        );
        assert!(warned(&undecided) && warned(&with(tools, "{ max_retries: 2 }")), "{undecided:?}");
        for decided in [
            "{ extract_json: [fence] }",
            "{ extract_json: true }",
            "{ embedded: confirm }",
            "{ strict_json_only: true }",
        ] {
            assert_eq!(with(tools, decided), Vec::<String>::new(), "{decided}");
        }
    }
    assert_eq!(with("[read_file, list_files, search_files]", ""), Vec::<String>::new());
    let free = problems_of("agent.yaml", &format!("{HEAD}tools: [write_file]\n"));
    assert_eq!(free, Vec::<String>::new(), "there is no contract");
    let default = format!("{HEAD}tools: [write_file]\ndefault_output_schema: {SCHEMA}\n");
    assert!(warned(&problems_of("agent.yaml", &default)));
}

#[test]
fn a_confirmation_that_cannot_happen_is_a_warning() {
    let without_prose = "this has no effect: the contract accepts no value from prose";
    for (options, expected) in [
        ("{ embedded: confirm, extract_json: [fence] }", without_prose),
        ("{ embedded: confirm, strict_json_only: true }", without_prose),
        (
            "{ embedded: confirm, max_retries: 0 }",
            "a value in prose always fails: 'confirm' asks again, and 'max_retries' is 0",
        ),
    ] {
        let problems = with("[]", options);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].ends_with(&format!("warning: $.output_schema_options.embedded: {expected}")),
            "{problems:?}"
        );
    }
}
