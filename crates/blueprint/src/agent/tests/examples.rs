//! Examples must meet both contracts of their agent.

use super::problems_of;

fn with(examples: &str) -> Vec<String> {
    let head = "name: a\nexecutor: { type: llm, provider: anthropic, model: m }\n";
    let schema = "output_schema: { type: object, required: [n], properties: { n: { type: integer } } }\n";
    problems_of("agent.yaml", &format!("{head}{schema}examples: {examples}\n"))
}

#[test]
fn examples_that_conform_are_accepted() {
    assert_eq!(with("[{ input: { prompt: one }, output: { n: 1 } }]"), Vec::<String>::new());
}

#[test]
fn an_example_that_breaks_a_contract_is_named() {
    let problems =
        with("[{ input: { prompt: one }, output: { n: 1 } }, { input: { prompt: 2 }, output: { n: x } }]");
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("$.examples[1].input") && problems[0].contains("$.prompt"), "{problems:?}");
    assert!(problems[1].contains("$.examples[1].output") && problems[1].contains("$.n"), "{problems:?}");
}

#[test]
fn examples_need_an_output_contract() {
    let text = "name: a\nexecutor: { type: llm, provider: anthropic, model: m }\nexamples: [{ input: { prompt: a }, output: 1 }]\n";
    let problems = problems_of("agent.yaml", text);
    assert!(
        problems.iter().any(|problem| problem.contains("examples need an 'output_schema'")),
        "{problems:?}"
    );
}
