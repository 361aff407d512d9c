//! Templates over the inputs of a node.
//!
//! A text is rendered: strings stand in it as they are, everything else as JSON. A text that is one expression and
//! nothing else, `{{ review.findings }}`, is that value itself: a list stays a list. A plain path is looked up and not
//! rendered, so that no number changes on the way. What is not there is an error, never a blank.
//!
//! Templates come from people and run in the coordinator, so each has one budget for whatever it does: how deeply it nests is
//! measured before it is parsed (`nesting`), what the compiler computes is bounded (`constants`), and the program that comes
//! of it pays for every value that it makes or looks at (`guard`, `filters`, `values`, `rendering`).

mod constants;
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
use guard::{Named, Program};
use rendering::{Quoting, Rendering};
use values::{context, to_json};

/// What templates know by name.
pub(crate) type Variables = Map<String, Value>;

/// The variable with what the caller gave; no agent can have this name. All others are what agents wrote.
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

/// So many steps of a program cost what one value costs.
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
    let Ok(program) =
        check_size(text).and_then(|()| Program::of_template(text).map_err(|error| error_text(&error)))
    else {
        return Vec::new();
    };
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
pub(crate) fn uses(text: &str) -> Result<BTreeSet<String>, String> {
    check_size(text)?;
    // The program is made for what the library would compute without a budget.
    Program::of_template(text).map_err(|error| error_text(&error))?;
    let template = ENVIRONMENT.template_from_str(text).map_err(|error| error_text(&error))?;
    let names = template.undeclared_variables(true).into_iter();
    let known: BTreeSet<&str> = ENVIRONMENT.globals().map(|(name, _)| name).collect();
    Ok(names.filter(|name| !known.contains(name.as_str())).collect())
}

/// Refuses a text that is too large for the parser.
fn check_size(text: &str) -> Result<(), String> {
    if text.len() > MAX_TEMPLATE_BYTES {
        return Err(format!("the template has {} bytes; the limit is {MAX_TEMPLATE_BYTES}", text.len()));
    }
    if text.lines().any(|line| line.len() > MAX_TEMPLATE_LINE_BYTES) {
        return Err(format!(
            "a line of the template has more than {MAX_TEMPLATE_LINE_BYTES} bytes; break it"
        ));
    }
    nesting::check(text)
}

/// Renders a prompt. The texts of agents are put into tags that they cannot close.
pub(crate) fn prompt(source: &str, variables: &Variables) -> Result<String, String> {
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

fn render(source: &str, scope: &Scope<'_>) -> Result<String, String> {
    check_size(source)?;
    let program = Program::of_template(source).map_err(|error| error_text(&error))?;
    let mut text = String::new();
    run(&program, scope, &mut text).map_err(|error| render_error(&error, source, scope.variables))?;
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

/// The value of a text: itself if it is plain, the value of its only expression, or the rendered text.
pub(crate) fn value(source: &str, variables: &Variables) -> Result<Value, String> {
    evaluate(source, &Scope::new(variables, Quoting::Nobody))
}

fn evaluate(source: &str, scope: &Scope<'_>) -> Result<Value, String> {
    match shape(source) {
        Shape::Plain => Ok(Value::from(source)),
        Shape::Text => render(source, scope).map(Value::from),
        Shape::Path(path) => {
            let value = look_up(&path, scope.variables)?;
            scope.rendering.spend(values::units_of(value)).map_err(|error| error_text(&error))?;
            Ok(value.clone())
        }
        Shape::Expression(expression) => {
            check_size(source)?;
            nesting::check_expression(expression)?;
            let program = Program::of_expression(expression).map_err(|error| error_text(&error))?;
            let value = run(&program, scope, &mut String::new());
            let value = value.map_err(|error| render_error(&error, source, scope.variables))?;
            match value.as_str().map_or(0, str::len) > MAX_RENDERED_BYTES {
                _ if value.is_undefined() => Err("it evaluates to nothing".to_owned()),
                true => Err(too_long()),
                false => to_json(&value, &scope.rendering),
            }
        }
    }
}

/// Renders a document whose strings are templates. They share one budget.
pub(crate) fn document(source: &Value, variables: &Variables) -> Result<Value, String> {
    let made = fill(source, &Scope::new(variables, Quoting::Nobody))?;
    match values::depth_of(&made) <= MAX_TEMPLATE_DEPTH {
        true => Ok(made),
        false => Err(format!("it evaluates to a value nested deeper than {MAX_TEMPLATE_DEPTH} levels")),
    }
}

fn fill(source: &Value, scope: &Scope<'_>) -> Result<Value, String> {
    match source {
        Value::String(source) => evaluate(source, scope),
        Value::Array(items) => items.iter().map(|item| fill(item, scope)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| {
                let member = fill(member, scope).map_err(|fault| format!("{name}: {fault}"))?;
                Ok((name.clone(), member))
            })
            .collect::<Result<Map<String, Value>, String>>()
            .map(Value::Object),
        other => Ok(other.clone()),
    }
}

fn look_up<'v>(path: &[&str], variables: &'v Variables) -> Result<&'v Value, String> {
    let Some((root, fields)) = path.split_first() else { return Err("it is empty".to_owned()) };
    let mut value = variables.get(*root).ok_or_else(|| format!("'{root}' is not defined here"))?;
    let mut so_far = (*root).to_owned();
    for field in fields {
        value = value.get(field).ok_or_else(|| format!("{so_far} has no field '{field}'"))?;
        so_far = format!("{so_far}.{field}");
    }
    Ok(value)
}

/// The error of a render, with the names that are undefined: the library does not say which, so all names that the template
/// uses are looked up.
fn render_error(error: &Error, source: &str, variables: &Variables) -> String {
    let text = error_text(error);
    // Filters report an undefined value in a message of their own.
    let names_it = error.detail().is_some_and(|detail| detail.contains("undefined"));
    if error.kind() != ErrorKind::UndefinedError && !names_it {
        return text;
    }
    let missing = |name: &String| look_up(&name.split('.').collect::<Vec<_>>(), variables).err();
    let missing: BTreeSet<String> = uses(source).unwrap_or_default().iter().filter_map(missing).collect();
    match missing.is_empty() {
        true => text,
        false => {
            let named: Vec<String> = missing.into_iter().take(MOST_MISSING_NAMED).collect();
            format!("{text}: {}", named.join("; "))
        }
    }
}

/// The library's error in one line, without its source excerpt.
fn error_text(error: &Error) -> String {
    let line = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::UndefinedError => "it uses an undefined name".to_owned(),
        ErrorKind::OutOfFuel => "it takes too long".to_owned(),
        kind => kind.to_string(),
    };
    match error.detail() {
        Some(detail) => format!("{line}{what} ({detail})"),
        None => format!("{line}{what}"),
    }
}
