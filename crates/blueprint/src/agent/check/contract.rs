//! Checks the contracts: schemas compile, rules parse, options are in their ranges.

use accord_contract::lower::Profile;
use accord_contract::{Invariant, Invariants, JsonPath, Meter, Schema, Violation};
use accord_domain::agent::{Blueprint, Executor};
use accord_domain::contract::{Embedded, ExtractJson, MOST_RETRIES, Options, Strategy};
use accord_domain::provider::ProviderKind;
use accord_workflow::Writer;
use accord_workflow::limits::MOST_READS;
use serde_json::Value;

use crate::agent::contracts::{Contracts, DeclaredSchema, implicit_parameters};
use crate::finding::Findings;
use crate::name::name_error;

pub(super) fn check(blueprint: &Blueprint, findings: &mut Findings) -> Contracts {
    let root = JsonPath::root();
    let parameters = blueprint.parameters_schema.as_ref();
    let parameters =
        parameters.and_then(|value| compiled(value, &root.key("parameters_schema"), Writer::Other, findings));
    let writer = writer(&blueprint.executor);
    let output_options = blueprint.output_schema_options.as_ref();
    let default_options = blueprint.default_output_schema_options.as_ref();
    let output =
        declared("output_schema", blueprint.output_schema.as_ref(), output_options, writer, findings);
    let default = blueprint.default_output_schema.as_ref();
    let default_output = declared("default_output_schema", default, default_options, writer, findings);
    options("output_schema_options", output_options, findings);
    options("default_output_schema_options", default_options, findings);
    value_in_prose(blueprint, findings);
    if blueprint.output_schema.is_some() && default.is_some() {
        let message = "'output_schema' takes precedence, so this default is never used";
        findings.warning(root.key("default_output_schema"), message);
    }
    if default_options.is_some() && default.is_none() {
        let message = "these options have no effect without 'default_output_schema'";
        findings.warning(root.key("default_output_schema_options"), message);
    }
    let invariants = invariants(blueprint, findings);
    let contracts = Contracts { parameters, output, default_output, invariants };
    unknown_fields_of_rules(blueprint, &contracts, findings);
    examples(blueprint, &contracts, findings);
    contracts
}

/// Checks examples against both contracts. Registered schemas are not known here.
fn examples(blueprint: &Blueprint, contracts: &Contracts, findings: &mut Findings) {
    let place = JsonPath::root().key("examples");
    let output = contracts.output.as_ref().or(contracts.default_output.as_ref());
    if !blueprint.examples.is_empty() && output.is_none() {
        findings.error(place.clone(), "examples need an 'output_schema' or a 'default_output_schema'");
    }
    let implicit = implicit_parameters();
    let implicit = blueprint
        .parameters_schema
        .is_none()
        .then(|| Schema::compile(&implicit, findings.meter).ok())
        .flatten();
    let input = contracts.parameters.as_ref().or(implicit.as_ref());
    for (index, example) in blueprint.examples.iter().enumerate() {
        let (place, meter) = (place.index(index), findings.meter.anew());
        let mut broken = |field: &str, violations: Vec<Violation>| {
            for violation in violations {
                let message = format!("{}: {}", violation.path, violation.message);
                findings.error(place.key(field), message);
            }
        };
        if let Some(schema) = input {
            broken("input", errors(schema, &example.input, &meter));
        }
        if let Some(DeclaredSchema::Inline(schema)) = output {
            let violations = errors(schema, &example.output, &meter);
            let conforms = violations.is_empty();
            broken("output", violations);
            if conforms {
                broken("output", contracts.invariants.violations(&example.output, &example.input, &meter));
            }
        }
    }
}

fn errors(schema: &Schema, value: &Value, meter: &Meter) -> Vec<Violation> {
    schema.check(value, meter).err().map(|violations| violations.errors).unwrap_or_default()
}

/// Warns about fields that invariants read and the schemas do not have. Registered schemas are not known here.
fn unknown_fields_of_rules(blueprint: &Blueprint, contracts: &Contracts, findings: &mut Findings) {
    let output = match contracts.output.as_ref().or(contracts.default_output.as_ref()) {
        Some(DeclaredSchema::Inline(schema)) => Some(schema.document()),
        Some(DeclaredSchema::Named(_)) | None => None,
    };
    let implicit = blueprint.parameters_schema.is_none().then(implicit_parameters);
    let input = contracts.parameters.as_ref().map(Schema::document).or(implicit.as_ref());
    let mut left = MOST_READS;
    for (index, reads) in contracts.invariants.reads().enumerate() {
        // On resume the input has the prompt of the resume, whatever the parameters are.
        let prompt = JsonPath::root().key("prompt");
        let is_known = |(name, place): &&(String, JsonPath)| name == "input" && *place == prompt;
        let reads: Vec<(String, JsonPath)> =
            reads.iter().filter(|read| !is_known(read)).take(left).cloned().collect();
        left -= reads.len();
        let schema_of = |name: &str| if name == "input" { input } else { output };
        for doubt in accord_workflow::rule_warnings(&reads, schema_of) {
            findings.warning(JsonPath::root().key("invariants").index(index).key("rule"), doubt);
        }
    }
}

/// The component that writes the output of an agent. Which constraints a configured provider
/// enforces is not known here.
fn writer(executor: &Executor) -> Writer<'_> {
    let profile = match executor {
        Executor::Process(_) => return Writer::Other,
        Executor::Llm(settings) => match &settings.schema_profile {
            Some(name) => Profile::named(name).map(|profile| profile.name.as_str()),
            None => ProviderKind::named(&settings.provider).map(|kind| kind.row().schema_profile),
        },
        other => other.executor_kind().row().schema_profile,
    };
    Writer::Model(profile)
}

/// Compiles a schema and warns about doubtful parts.
fn compiled(value: &Value, place: &JsonPath, writer: Writer<'_>, findings: &mut Findings) -> Option<Schema> {
    match Schema::compile(value, findings.meter) {
        Ok(schema) => {
            for (inner, doubt) in accord_workflow::schema_warnings(&schema, writer, findings.meter) {
                findings.warning_within(place, &inner, doubt);
            }
            Some(schema)
        }
        Err(error) => {
            findings.schema(place, &error);
            None
        }
    }
}

/// An output schema: a schema, or the name of a registered one.
fn declared(
    field: &str,
    value: Option<&Value>,
    options: Option<&Options>,
    writer: Writer<'_>,
    findings: &mut Findings,
) -> Option<DeclaredSchema> {
    let place = JsonPath::root().key(field);
    let value = value?;
    if let Value::String(name) = value {
        if let Some(reason) = name_error(name) {
            let message = format!("a string here is the name of a registered schema: {reason}");
            findings.error(place, message);
            return None;
        }
        return Some(DeclaredSchema::Named(name.clone()));
    }
    let schema = compiled(value, &place, writer, findings)?;
    for (inner, message) in accord_workflow::compare::annotation_problems(value, findings.meter) {
        findings.warning_within(&place, &inner, message);
    }
    if !is_object_with_properties(value) {
        if options.and_then(|options| options.strategy) == Some(Strategy::Tool) {
            let message = "the submit tool requires an object: set 'type: object' and 'properties' at the root, or use another strategy";
            findings.error(place, message);
        } else {
            let message = "the root is not an object with properties: models are asked for it inside a wrapper, and some endpoints cannot enforce it";
            findings.warning(place, message);
        }
    }
    Some(DeclaredSchema::Inline(schema))
}

pub(super) fn is_object_with_properties(schema: &Value) -> bool {
    let has_properties =
        schema.get("properties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
    schema.get("type").and_then(Value::as_str) == Some("object") && has_properties
}

fn options(field: &str, options: Option<&Options>, findings: &mut Findings) {
    let Some(options) = options else { return };
    let place = JsonPath::root().key(field);
    if let Some(retries) = options.max_retries.filter(|retries| *retries > MOST_RETRIES) {
        let message = format!("expected at most {MOST_RETRIES} retries, got {retries}");
        findings.error(place.key("max_retries"), message);
    }
    if options.strict_json_only == Some(true)
        && options.extract_json.is_some_and(|extract| extract != ExtractJson::NONE)
    {
        let message = "this has no effect with 'strict_json_only'";
        findings.warning(place.key("extract_json"), message);
    }
    if options.embedded == Some(Embedded::Confirm) {
        let takes_prose = options.extract_json.is_none_or(|extract| extract.prose);
        if options.strict_json_only == Some(true) || !takes_prose {
            let message = "this has no effect: the contract accepts no value from prose";
            findings.warning(place.key("embedded"), message);
        } else if options.max_retries == Some(0) {
            let message = "a value in prose always fails: 'confirm' asks again, and 'max_retries' is 0";
            findings.warning(place.key("embedded"), message);
        }
    }
}

/// Built-in tools that change files or run programs.
const CHANGING_TOOLS: [&str; 2] = ["write_file", "run_command"];

/// Warns if an agent that can change things does not say what happens to a value in prose, which may be an example.
fn value_in_prose(blueprint: &Blueprint, findings: &mut Findings) {
    let Some(tool) = blueprint.tools.iter().find(|tool| CHANGING_TOOLS.contains(&tool.as_str())) else {
        return;
    };
    let contracts = [
        ("output_schema_options", &blueprint.output_schema, &blueprint.output_schema_options),
        (
            "default_output_schema_options",
            &blueprint.default_output_schema,
            &blueprint.default_output_schema_options,
        ),
    ];
    for (field, schema, options) in contracts {
        let decided = |options: &Options| {
            options.extract_json.is_some()
                || options.embedded.is_some()
                || options.strict_json_only == Some(true)
        };
        if schema.is_some() && !options.as_ref().is_some_and(decided) {
            let message = format!(
                "the agent can change things with '{tool}', and a value found in prose may be an example: write \
                 'extract_json: [fence]' or 'embedded: confirm' here ('extract_json: true' accepts it)"
            );
            findings.warning(JsonPath::root().key(field), message);
        }
    }
}

fn invariants(blueprint: &Blueprint, findings: &mut Findings) -> Invariants {
    let place = JsonPath::root().key("invariants");
    let has_contract = blueprint.output_schema.is_some() || blueprint.default_output_schema.is_some();
    if !blueprint.invariants.is_empty() && !has_contract {
        let message =
            "invariants require a structured output: set 'output_schema' or 'default_output_schema'";
        findings.error(place.clone(), message);
    }
    let rules: Vec<Invariant> = blueprint
        .invariants
        .iter()
        .map(|invariant| Invariant { rule: invariant.rule.clone(), message: invariant.message.clone() })
        .collect();
    match Invariants::compile(&rules) {
        Ok(invariants) => invariants,
        Err(_) => {
            // One by one, to report each mistake.
            for (index, rule) in rules.iter().enumerate() {
                if let Err(error) = Invariants::compile(std::slice::from_ref(rule)) {
                    findings.error(place.index(index).key("rule"), error.message);
                }
            }
            Invariants::default()
        }
    }
}
