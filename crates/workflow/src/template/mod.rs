//! Templates over the inputs of a node.
//!
//! A text is rendered: strings are inserted as they are, everything else as JSON. A text that is one expression and
//! nothing else, `{{ review.findings }}`, is that value itself: a list stays a list. A plain path is looked up and not
//! rendered, so that numbers keep their spelling. A missing value is an error.
//!
//! Templates come from users and run in the coordinator, so each has a budget: nesting is measured before a template is
//! parsed (`nesting`), constant folding is bounded (`constants`), and the compiled program is charged for every value that
//! it makes or reads (`guard`, `filters`, `values`, `rendering`).

mod constants;
mod error;
mod filters;
mod guard;
mod nesting;
mod rendering;
#[cfg(test)]
mod tests;
mod values;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use accord_contract::prompt;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, escape_formatter, machinery};
use serde_json::{Map, Value};

use crate::limits::{
    MAX_RENDERED_BYTES, MAX_TEMPLATE_BYTES, MAX_TEMPLATE_DEPTH, MAX_TEMPLATE_LINE_BYTES, TEMPLATE_FUEL,
};
pub(crate) use error::TemplateError;
use guard::{Named, Program};
use rendering::{Quoting, Rendering};
use values::{context, to_json};

pub(crate) type Variables = Map<String, Value>;

/// The variable with the caller's input; no agent can have this name. All others are outputs of agents.
pub(crate) const INPUT: &str = "input";

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(TEMPLATE_FUEL));
    filters::add_to(&mut environment);
    guard::add_to(&mut environment);
    environment.set_formatter(|output, state, value| {
        let rendering = Rendering::of(state)?;
        let text = match (values::is_structured(value), rendering.written(value), value.as_str()) {
            (true, _, _) => values::pretty(value, &rendering)?,
            (false, Some(number), _) => number.as_str().to_owned(),
            (false, None, Some(text)) if rendering.quoting() == Quoting::Agents && !value.is_safe() => {
                rendering.write(text.len())?;
                prompt::agent_output(text)
            }
            (false, None, text) => {
                rendering.write(text.map_or(0, str::len))?;
                return escape_formatter(output, state, value);
            }
        };
        rendering.write(text.len())?;
        output.write_str(&text).map_err(Error::from)
    });
    environment
});

/// This many steps of a program cost as much as one value.
const STEPS_A_UNIT: u64 = 4;

/// How many undefined names an error lists.
const MOST_MISSING_NAMED: usize = 3;

/// Constants that look like paths.
const CONSTANTS: [&str; 6] = ["true", "True", "false", "False", "none", "None"];

/// What kind of template a text is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shape<'a> {
    Plain,
    /// One path and nothing else.
    Path(Vec<&'a str>),
    /// One expression and nothing else.
    Expression(&'a str),
    Text,
}

pub(crate) fn shape(text: &str) -> Shape<'_> {
    if !["{{", "{%", "{#"].iter().any(|opening| text.contains(opening)) {
        return Shape::Plain;
    }
    let Some(inner) = only_expression(text) else { return Shape::Text };
    let is_word = |word: &&str| {
        let mut characters = word.chars();
        characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && characters.all(|each| each.is_ascii_alphanumeric() || each == '_')
    };
    let words: Vec<&str> = inner.split('.').collect();
    match words.iter().all(is_word) && !CONSTANTS.contains(&inner) {
        true => Shape::Path(words),
        false => Shape::Expression(inner),
    }
}

/// The expression of a text that is one and nothing else.
fn only_expression(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    let is_one = !inner.contains("{{") && !inner.contains("}}");
    is_one.then(|| inner.trim_matches('-').trim())
}

/// A message for each filter and test that does not exist. The library reports them only when it runs into them. A template
/// that does not parse names none.
pub(crate) fn unknown_names(text: &str) -> Vec<String> {
    let Ok(program) = compile(text) else { return Vec::new() };
    let mut state = ENVIRONMENT.empty_state();
    let mut is_known = |question: &str, name: &str| {
        let known = tests_of_names(question).call(&mut state, &[minijinja::Value::from(name)]);
        known.is_ok_and(|known| known.is_true())
    };
    let mut unknown = Vec::new();
    for named in program.names() {
        let (word, name) = match named {
            Named::Filter(name) => ("filter", name),
            Named::Test(name) => ("test", name),
        };
        let message = format!("unknown {word} '{name}'");
        if !is_known(word, name) && !unknown.contains(&message) {
            unknown.push(message);
        }
    }
    unknown
}

fn tests_of_names(question: &str) -> minijinja::Value {
    match question {
        "filter" => minijinja::Value::from_function(minijinja::tests::is_filter),
        _ => minijinja::Value::from_function(minijinja::tests::is_test),
    }
}

/// Whether a template uses a variable. One that does not parse uses none.
pub(crate) fn uses_variable(text: &str, variable: &str) -> bool {
    let root = |name: &String| name.split('.').next() == Some(variable);
    shape(text) != Shape::Plain && uses(text).is_ok_and(|names| names.iter().any(root))
}

/// Whether a template handles absent values, by a default or a test.
pub(crate) fn is_guarded(text: &str) -> bool {
    ["default", "|d(", "| d(", "defined", "none", "None"].iter().any(|word| text.contains(word))
}

/// The variables that a template uses, with the fields that it reads: `review.findings`.
pub(crate) fn uses(text: &str) -> Result<BTreeSet<String>, TemplateError> {
    // Finds what the library would compute without a budget.
    compile(text)?;
    let template = ENVIRONMENT.template_from_str(text)?;
    let names = template.undeclared_variables(true).into_iter();
    let known: BTreeSet<&str> = ENVIRONMENT.globals().map(|(name, _)| name).collect();
    Ok(names.filter(|name| !known.contains(name.as_str())).collect())
}

fn compile(text: &str) -> Result<Program<'_>, TemplateError> {
    check_size(text)?;
    Ok(Program::of_template(text)?)
}

/// Refuses a text that is too large for the parser.
fn check_size(text: &str) -> Result<(), TemplateError> {
    if text.len() > MAX_TEMPLATE_BYTES {
        let message = format!("the template has {} bytes; the limit is {MAX_TEMPLATE_BYTES}", text.len());
        return Err(TemplateError::new(message));
    }
    if text.lines().any(|line| line.len() > MAX_TEMPLATE_LINE_BYTES) {
        let message =
            format!("a line of the template has more than {MAX_TEMPLATE_LINE_BYTES} bytes; break it");
        return Err(TemplateError::new(message));
    }
    nesting::check(text)
}

/// Renders a prompt. The texts of agents are put into tags that they cannot close.
pub(crate) fn prompt(source: &str, variables: &Variables) -> Result<String, TemplateError> {
    render(source, &Scope::new(variables, Quoting::Agents))
}

/// What templates that share a budget are rendered with.
struct Scope<'v> {
    variables: &'v Variables,
    rendering: Arc<Rendering>,
    /// The variables as templates see them, made once.
    root: OnceCell<minijinja::Value>,
}

impl<'v> Scope<'v> {
    fn new(variables: &'v Variables, quoting: Quoting) -> Self {
        Self { variables, rendering: Rendering::new(quoting), root: OnceCell::new() }
    }
}

fn render(source: &str, scope: &Scope<'_>) -> Result<String, TemplateError> {
    let program = compile(source)?;
    let mut text = String::new();
    run(&program, scope, &mut text).map_err(|error| render_error(error, source, scope.variables))?;
    Ok(text)
}

/// Runs a program, which writes to `text`, and returns its last value.
fn run(program: &Program<'_>, scope: &Scope<'_>, text: &mut String) -> Result<minijinja::Value, Error> {
    let mut output = machinery::make_string_output(text);
    let root = scope.root.get_or_init(|| context(scope.variables, &scope.rendering)).clone();
    let blocks = std::collections::BTreeMap::new();
    let (value, state) =
        machinery::eval(&ENVIRONMENT, program.instructions(), root, &blocks, &mut output, AutoEscape::None)?;
    // For the next template that shares the budget.
    let steps = state.fuel_levels().map_or(0, |(taken, _)| taken);
    scope.rendering.spend(1 + steps / STEPS_A_UNIT)?;
    Ok(value.unwrap_or_default())
}

fn too_long() -> String {
    format!("the rendered text exceeds the limit of {MAX_RENDERED_BYTES} bytes")
}

fn too_deep() -> TemplateError {
    TemplateError::new(format!("it evaluates to a value nested deeper than {MAX_TEMPLATE_DEPTH} levels"))
}

/// The value of a text: itself if it is plain, the value of its only expression, or the rendered text.
pub(crate) fn value(source: &str, variables: &Variables) -> Result<Value, TemplateError> {
    evaluate(source, &Scope::new(variables, Quoting::None))
}

fn evaluate(source: &str, scope: &Scope<'_>) -> Result<Value, TemplateError> {
    match shape(source) {
        Shape::Plain => Ok(Value::from(source)),
        Shape::Text => render(source, scope).map(Value::from),
        Shape::Path(path) => {
            let value = look_up(&path, scope.variables)?;
            scope.rendering.spend(values::units_of(value))?;
            Ok(value.clone())
        }
        Shape::Expression(expression) => {
            check_size(source)?;
            nesting::check_expression(expression)?;
            let program = Program::of_expression(expression)?;
            let value = run(&program, scope, &mut String::new());
            let value = value.map_err(|error| render_error(error, source, scope.variables))?;
            match value.as_str().map_or(0, str::len) > MAX_RENDERED_BYTES {
                _ if value.is_undefined() => Err(TemplateError::new("it evaluates to nothing")),
                true => Err(TemplateError::new(too_long())),
                false => to_json(&value, &scope.rendering),
            }
        }
    }
}

/// Renders a document whose strings are templates. They share one budget.
pub(crate) fn document(source: &Value, variables: &Variables) -> Result<Value, TemplateError> {
    let made = fill(source, &Scope::new(variables, Quoting::None))?;
    match values::depth_of(&made) <= MAX_TEMPLATE_DEPTH {
        true => Ok(made),
        false => Err(too_deep()),
    }
}

fn fill(source: &Value, scope: &Scope<'_>) -> Result<Value, TemplateError> {
    match source {
        Value::String(source) => evaluate(source, scope),
        Value::Array(items) => items.iter().map(|item| fill(item, scope)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| {
                let member = fill(member, scope).map_err(|error| error.within(format!("{name}: ")))?;
                Ok((name.clone(), member))
            })
            .collect::<Result<Map<String, Value>, TemplateError>>()
            .map(Value::Object),
        other => Ok(other.clone()),
    }
}

fn look_up<'v>(path: &[&str], variables: &'v Variables) -> Result<&'v Value, TemplateError> {
    let Some((root, fields)) = path.split_first() else { return Err(TemplateError::new("it is empty")) };
    let mut value =
        variables.get(*root).ok_or_else(|| TemplateError::new(format!("'{root}' is not defined here")))?;
    let mut so_far = (*root).to_owned();
    for field in fields {
        value =
            value.get(field).ok_or_else(|| TemplateError::new(format!("{so_far} has no field '{field}'")))?;
        so_far = format!("{so_far}.{field}");
    }
    Ok(value)
}

/// The error of a render, with the names that are undefined: the library does not say which, so all names that the template
/// uses are looked up.
fn render_error(error: Error, source: &str, variables: &Variables) -> TemplateError {
    // Filters report an undefined value in a message of their own.
    let names_it = error.detail().is_some_and(|detail| detail.contains("undefined"));
    if error.kind() != ErrorKind::UndefinedError && !names_it {
        return error.into();
    }
    let missing = |name: &String| look_up(&name.split('.').collect::<Vec<_>>(), variables).err();
    let missing: BTreeSet<_> = uses(source).unwrap_or_default().iter().filter_map(missing).collect();
    let named: Vec<String> = missing.iter().take(MOST_MISSING_NAMED).map(ToString::to_string).collect();
    let error = TemplateError::from(error);
    if named.is_empty() { error } else { TemplateError::new(format!("{error}: {}", named.join("; "))) }
}
