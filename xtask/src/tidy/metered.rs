//! Whatever is made from a schema or a value is metered: what is made from input need not be as small as the input.
//!
//! A public function of a pure crate, or of `blueprint`, that takes a schema or a value, or what was read or compiled from one,
//! takes a `Meter` as well, unless it is listed here with the reason. Methods of such types are included, as far as they make something:
//! one that returns a reference does not. And a meter is made only where work begins, so that a caller's cannot be left out.

use super::Finding;
use super::repository::{Repository, SourceFile};

/// The crates that work on schemas and values without knowing who waits for it.
const METERED: &[&str] =
    &["crates/contract/src/", "crates/types/src/", "crates/workflow/src/", "crates/blueprint/src/"];

/// The types of what comes from outside, and of what is made from it.
const INPUT: &[&str] = &[
    "Schema",
    "Value",
    "RawValue",
    "Map",
    "Checked",
    "Contract",
    "Agent",
    "Invariant",
    "Invariants",
    "Condition",
    "Graph",
    "Known",
    "Flow",
    "State",
];

/// What a conversion is called: it is public wherever its types are.
const CONVERSIONS: &[&str] = &["fn from(", "fn try_from("];

/// Functions that need no meter: file, name, reason.
const UNMETERED: &[(&str, &str, &str)] = &[
    ("contract/src/account/mod.rs", "check", "a checker for tests and debug builds"),
    ("contract/src/contract.rs", "new", "moves its argument"),
    ("contract/src/contract.rs", "with_options", "moves its argument"),
    ("contract/src/contract.rs", "with_invariants", "moves its argument"),
    ("contract/src/contract.rs", "options", "copies a few settings"),
    ("contract/src/decimal.rs", "of", "one number"),
    ("contract/src/identity.rs", "contract_hash", "one pass over schemas that compiled"),
    ("contract/src/invariant/condition.rs", "variables", "names what was compiled"),
    ("contract/src/invariant/mod.rs", "compile", "the parser has limits of its own for each rule"),
    ("contract/src/invariant/mod.rs", "is_empty", "asks for a length"),
    ("contract/src/invariant/mod.rs", "reads", "refers to what was compiled"),
    ("contract/src/json_path.rs", "of_pointer", "goes down one pointer"),
    ("contract/src/number.rs", "same", "stops at the first difference; values were read within limits"),
    ("contract/src/prompt/mod.rs", "inputs_block", "one pass, and at most eight times the length"),
    ("contract/src/prompt/mod.rs", "submit_tool_description", "reads one member"),
    ("contract/src/schema/mod.rs", "dialect", "copies a word"),
    ("contract/src/schema/mod.rs", "is_quick", "counts the values once"),
    ("contract/src/schema/mod.rs", "is_quick_for", "compares two numbers"),
    ("contract/src/verdict.rs", "structured", "keeps a reference"),
    ("contract/src/verdict.rs", "to_input", "keeps a reference"),
    ("workflow/src/advance/again.rs", "can_resume", "one pass over the nodes"),
    ("workflow/src/flow.rs", "new", "compiles the conditions of a graph that was read with a meter"),
    ("workflow/src/flow.rs", "node", "one lookup"),
    ("workflow/src/graph/mod.rs", "works", "refers to its nodes"),
    ("workflow/src/graph/mod.rs", "agent_names", "one pass over the nodes"),
    ("workflow/src/graph/mod.rs", "workflow_names", "one pass over the nodes"),
    ("workflow/src/graph/mod.rs", "schema_names", "one pass over the nodes"),
    ("workflow/src/state.rs", "new", "moves its argument"),
    ("workflow/src/state.rs", "at_work", "refers to its nodes"),
    ("workflow/src/view.rs", "inputs", "copies no more than a run may hold"),
    ("workflow/src/view.rs", "taken", "one lookup"),
    ("workflow/src/schema_warnings.rs", "rule_warnings", "goes down a limited number of paths"),
    (
        "blueprint/src/generator_schemas.rs",
        "rewrite_for_generators",
        "one pass over our own OpenAPI document",
    ),
    ("blueprint/src/shape.rs", "mismatch_at", "goes down one path"),
    ("blueprint/src/agent/contracts.rs", "agent_contract_hash", "one pass over schemas that compiled"),
    ("blueprint/src/agent/providers.rs", "add_configuration", "reads a few members"),
    ("blueprint/src/agent/tiers.rs", "resolve_tiers", "changes a few members"),
    ("blueprint/src/workflow/examine.rs", "inline_blueprint", "copies its argument"),
    ("blueprint/src/workflow/examine.rs", "inline_blueprints", "copies parts of a graph"),
];

/// Where meters are made: file, reason.
const ORIGINS: &[(&str, &str)] = &[
    ("crates/json/src/meter.rs", "defines it"),
    ("crates/contract/src/infer/string.rs", "compiles the formats, which are compiled in"),
    ("crates/coordinator/src/work.rs", "the work of requests"),
    ("crates/runner/src/metered.rs", "the work of runs"),
    ("crates/mcp/src/accord/own.rs", "the output of one workflow run"),
    ("crates/cli/src/meter.rs", "the work of commands"),
    ("crates/corpus/src/case.rs", "for tests only"),
];

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in
        repository.rust().filter(|file| file.path.starts_with("crates/") && file.path.contains("/src/"))
    {
        if METERED.iter().any(|folder| file.path.starts_with(folder)) {
            findings.extend(unmetered(file));
        }
        if !ORIGINS.iter().any(|(path, _)| *path == file.path)
            && !file.path.starts_with("crates/test-support/")
        {
            findings.extend(made_up(file));
        }
    }
    findings
}

/// Public functions without a meter.
fn unmetered(file: &SourceFile) -> Vec<Finding> {
    let lines = file.lines();
    let mut findings = Vec::new();
    let mut owner = "";
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.in_test) {
        owner = implemented(line.text).unwrap_or(owner);
        let Some(signature) = public_function(line.text) else { continue };
        let rest = lines.iter().skip(index + 1).map(|line| line.text);
        let whole = std::iter::once(signature).chain(rest).collect::<Vec<_>>().join("\n");
        let (parameters, after) = parameters(&whole);
        let name: String =
            signature.chars().take_while(|each| each.is_alphanumeric() || *each == '_').collect();
        let is_listed = UNMETERED
            .iter()
            .any(|(path, known, _)| file.path.strip_prefix("crates/") == Some(path) && *known == name);
        let mut words = parameters.split(|each: char| !each.is_alphanumeric() && each != '_');
        let returns = after.trim_start().trim_start_matches("->").trim_start();
        let is_method = INPUT.contains(&owner)
            && words.clone().any(|word| word == "self")
            && !["&", "Option<&"].iter().any(|reference| returns.starts_with(reference));
        let takes_input = is_method || words.clone().any(|word| INPUT.contains(&word));
        if takes_input && !is_listed && !words.any(|word| word == "Meter") {
            let remedy = format!(
                "'{name}' works on input without a limit; take a '&Meter' and charge it, or list the function in tidy/metered.rs with the reason"
            );
            findings.push(Finding::new(&file.path, line.number, "metered", remedy));
        }
    }
    findings
}

/// The signature in a line that begins a public function.
fn public_function(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if CONVERSIONS.iter().any(|conversion| line.starts_with(conversion)) {
        return line.strip_prefix("fn ");
    }
    let mut rest = line.strip_prefix("pub ")?;
    for word in ["const ", "async ", "unsafe "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    rest.strip_prefix("fn ")
}

/// The type whose methods follow a line.
fn implemented(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let rest = match rest.strip_prefix('<') {
        Some(generics) => generics.split_once("> ").map_or(generics, |(_, rest)| rest),
        None => rest.strip_prefix(' ')?,
    };
    let of = rest.split_once(" for ").map_or(rest, |(_, of)| of);
    let name = of.split(['<', ' ', '{']).next()?;
    Some(name.rsplit("::").next().unwrap_or(name))
}

/// What is between the brackets of a signature, and what follows them.
fn parameters(signature: &str) -> (&str, &str) {
    let (mut round, mut angle, mut begin, mut last) = (0_usize, 0_usize, None, ' ');
    for (at, each) in signature.char_indices() {
        match (each, begin) {
            // The brackets of generics may have others inside: `<F: Fn(u8) -> u8>`.
            ('<', None) => angle += 1,
            ('>', None) if last != '-' => angle = angle.saturating_sub(1),
            ('(', None) if angle == 0 => (begin, round) = (Some(at + 1), 1),
            ('(', Some(_)) => round += 1,
            (')', Some(begin)) if round == 1 => {
                let inside = signature.get(begin..at).unwrap_or_default();
                return (inside, signature.get(at + 1..).unwrap_or_default());
            }
            (')', Some(_)) => round -= 1,
            _ => {}
        }
        last = each;
    }
    ("", "")
}

/// Meters that do not come from the caller.
fn made_up(file: &SourceFile) -> Vec<Finding> {
    let lines = file.lines();
    let made = |text: &str| {
        let code = text.split("//").next().unwrap_or_default();
        code.contains("Meter::new(") || code.contains("Meter::default(")
    };
    let found = lines.iter().filter(|line| !line.in_test && made(line.text));
    let remedy = "a meter made here ignores the caller's limits and stop; take it as an argument";
    found.map(|line| Finding::new(&file.path, line.number, "metered", remedy)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, code: &str) -> usize {
        check(&Repository::of(&[(path, code)])).len()
    }

    #[test]
    fn a_function_of_a_schema_or_a_value_takes_a_meter() {
        let path = "crates/contract/src/a.rs";
        for (code, expected) in [
            ("pub fn lower(schema: &Schema) -> u8 {", 1),
            ("    pub fn lift(\n        &self,\n        answer: Value,\n    ) -> u8 {", 1),
            ("pub fn lower(schema: &Schema, meter: &Meter) -> u8 {", 0),
            (
                "    pub fn lift(\n        &self,\n        answer: Value,\n        meter: &Meter,\n    ) -> u8 {",
                0,
            ),
            ("pub fn title(&self) -> &Value {\n    meter: &Meter", 0),
            ("pub fn count(items: &[(u8, u8)]) -> Value {", 0),
            ("pub const fn lower(schema: &Schema) -> u8 {", 1),
            ("pub async fn lower(schema: &Schema) -> u8 {", 1),
            ("pub fn lower<F: Fn(u8) -> u8>(schema: &Schema, each: F) -> u8 {", 1),
            ("pub fn lower<'a>(members: &'a Map<String, X>) -> u8 {", 1),
            ("impl Schema {\n    pub fn example(&self) -> String {", 1),
            ("impl<'a> contract::Schema {\n    pub fn example(&self) -> String {", 1),
            ("impl Schema {\n    pub fn hash(&self) -> &str {", 0),
            ("impl Schema {\n    pub fn title(&self) -> Option<&str> {", 0),
            ("impl Schema {\n    pub fn example(&self, meter: &Meter) -> String {", 0),
            ("impl Other {\n    pub fn name(&self) -> String {", 0),
            ("impl From<&Value> for Form {\n    fn from(value: &Value) -> Self {", 1),
            ("impl From<u8> for Form {\n    fn from(value: u8) -> Self {", 0),
            ("#[cfg(test)]\nmod tests {\n    pub fn made(schema: &Schema) {}\n}", 0),
        ] {
            assert_eq!(findings(path, code), expected, "{code}");
        }
        assert_eq!(findings("crates/contract/src/tests/a.rs", "pub fn lower(schema: &Schema) {"), 0);
        assert_eq!(findings("crates/contract/src/decimal.rs", "pub fn of(value: &Value) {"), 0, "listed");
        assert_eq!(findings("crates/contract/src/decimal.rs", "pub fn off(value: &Value) {"), 1);
        assert_eq!(
            findings("crates/domain/src/a.rs", "pub fn of(value: &Value) {"),
            0,
            "no work is done there"
        );
    }

    #[test]
    fn a_meter_comes_from_the_caller() {
        for made in ["let meter = Meter::default();", "judge(&Meter::new(limits, stop))"] {
            assert_eq!(findings("crates/workflow/src/a.rs", made), 1);
            assert_eq!(findings("crates/coordinator/src/app/a.rs", made), 1);
            assert_eq!(findings("crates/coordinator/src/work.rs", made), 0);
            assert_eq!(
                findings("crates/workflow/src/a.rs", &format!("#[cfg(test)]\nmod tests {{\n    {made}\n}}")),
                0
            );
        }
    }

    #[test]
    fn every_exception_has_its_reason_and_its_file() {
        assert!(UNMETERED.iter().all(|(_, _, reason)| !reason.is_empty()));
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let listed = UNMETERED.iter().map(|(path, ..)| format!("crates/{path}"));
        for path in listed.chain(ORIGINS.iter().map(|(path, _)| (*path).to_owned())) {
            assert!(root.join(&path).is_file(), "{path}");
        }
    }
}
