//! Templates over the inputs of a node.
//!
//! A text is rendered: strings stand in it as they are, everything else as JSON. A text that is one expression and
//! nothing else, `{{ review.findings }}`, is that value itself: a list stays a list. A plain path is looked up and not
//! rendered, so that no number changes on the way. What is not there is an error, never a blank.
//!
//! Templates come from people and run in the coordinator, so what one of them may make and do is bounded.

mod code;
mod filters;
mod growth;
mod names;
mod output;
mod rendering;
#[cfg(test)]
mod tests;
mod values;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, escape_formatter};
use serde_json::{Map, Value};

use crate::limits::{MAX_CAPTURED_BYTES, MAX_RENDERED_BYTES, MAX_TEMPLATE_BYTES, TEMPLATE_FUEL};
use output::Bounded;
use rendering::Rendering;
use values::{context, to_json};

/// What templates know by name.
pub(crate) type Variables = Map<String, Value>;

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(TEMPLATE_FUEL));
    // It writes the library's own view of everything.
    environment.remove_global("debug");
    filters::add_to(&mut environment);
    growth::add_to(&mut environment);
    environment.set_formatter(|output, state, value| {
        let rendering = Rendering::of(state)?;
        let text = match (values::is_structured(value), rendering.written(value)) {
            (true, _) => values::pretty(value, &rendering)?,
            (false, Some(number)) => number.as_str().to_owned(),
            (false, None) => {
                rendering.spend_bytes(value.as_str().map_or(0, str::len))?;
                return escape_formatter(output, state, value);
            }
        };
        rendering.spend_bytes(text.len())?;
        output.write_str(&text).map_err(Error::from)
    });
    environment
});

/// How much that is not there is told of one text.
const MOST_MISSING_TOLD: usize = 3;

/// Words that look like paths and are none.
const CONSTANTS: [&str; 6] = ["true", "True", "false", "False", "none", "None"];

/// What a text in a document turns out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shape<'a> {
    /// A text without templates.
    Plain,
    /// One path and nothing else.
    Path(Vec<&'a str>),
    /// One expression and nothing else.
    Expression(&'a str),
    /// A text with templates in it.
    Text,
}

/// What a text is.
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

/// Filters and tests that a text names and that there are not, in words.
pub(crate) fn unknown_names(text: &str) -> Vec<String> {
    names::unknown(text)
}

/// Whether an expression or a statement of a text uses a variable. A text that cannot be read uses none.
pub(crate) fn speaks_of(text: &str, variable: &str) -> bool {
    let root = |name: &String| name.split('.').next() == Some(variable);
    shape(text) != Shape::Plain && uses(text).is_ok_and(|names| names.iter().any(root))
}

/// Whether a text speaks of what may not be there: with a default, or by asking for it.
pub(crate) fn is_guarded(text: &str) -> bool {
    ["default", "|d(", "| d(", "defined", "none", "None"].iter().any(|word| text.contains(word))
}

/// The variables that a text uses, with the fields that are read off them: `review.findings`. The error says what is
/// wrong with the text.
pub(crate) fn uses(text: &str) -> Result<BTreeSet<String>, String> {
    if text.len() > MAX_TEMPLATE_BYTES {
        return Err(format!("the template has {} bytes; {MAX_TEMPLATE_BYTES} is the most", text.len()));
    }
    let template = ENVIRONMENT.template_from_str(text).map_err(|error| said(&error))?;
    let names = template.undeclared_variables(true).into_iter();
    let known: BTreeSet<&str> = ENVIRONMENT.globals().map(|(name, _)| name).collect();
    Ok(names.filter(|name| !known.contains(name.as_str())).collect())
}

/// Renders a text.
pub(crate) fn text(source: &str, variables: &Variables) -> Result<String, String> {
    let environment = environment_for(source);
    let watched = growth::watched(source);
    let template = environment.template_from_str(&watched).map_err(|error| said(&error))?;
    let mut output = Bounded::default();
    let rendered = template.render_captured_to(context(variables, &Rendering::new()), &mut output).map(drop);
    match (output.into_text(), rendered) {
        (None, _) => Err(too_long()),
        (Some(_), Err(error)) => Err(said_of(&error, source, variables)),
        (Some(text), Ok(())) => Ok(text),
    }
}

fn too_long() -> String {
    format!("the text has more than {MAX_RENDERED_BYTES} bytes, which is the most")
}

/// What is written between `{% set x %}` and `{% endset %}`, or given to a `{% filter %}`, is kept in memory and not seen by
/// the output. There each step makes at most the whole source, so there are fewer steps.
fn environment_for(source: &str) -> Cow<'static, Environment<'static>> {
    let captures = ["endset", "endfilter"].iter().any(|end| source.contains(end));
    if !captures {
        return Cow::Borrowed(&ENVIRONMENT);
    }
    let mut environment = ENVIRONMENT.clone();
    let steps = MAX_CAPTURED_BYTES / source.len().max(1);
    environment.set_fuel(Some(TEMPLATE_FUEL.min(steps as u64)));
    Cow::Owned(environment)
}

/// The value of a text: itself, what its one expression gives, or the text that is rendered.
pub(crate) fn value(source: &str, variables: &Variables) -> Result<Value, String> {
    match shape(source) {
        Shape::Plain => Ok(Value::from(source)),
        Shape::Text => text(source, variables).map(Value::from),
        Shape::Path(path) => looked_up(&path, variables),
        Shape::Expression(expression) => {
            let watched = growth::watched(source);
            let expression = only_expression(&watched).unwrap_or(expression);
            let expression = ENVIRONMENT.compile_expression(expression).map_err(|error| said(&error))?;
            let rendering = Rendering::new();
            let value = expression.eval(context(variables, &rendering));
            let value = value.map_err(|error| said_of(&error, source, variables))?;
            match value.as_str().map_or(0, str::len) > MAX_RENDERED_BYTES {
                _ if value.is_undefined() => Err("it gives nothing".to_owned()),
                true => Err(too_long()),
                false => to_json(&value, &rendering),
            }
        }
    }
}

/// A document whose texts are templates.
pub(crate) fn document(source: &Value, variables: &Variables) -> Result<Value, String> {
    match source {
        Value::String(source) => value(source, variables),
        Value::Array(items) => items.iter().map(|item| document(item, variables)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| {
                let member = document(member, variables).map_err(|fault| format!("{name}: {fault}"))?;
                Ok((name.clone(), member))
            })
            .collect::<Result<Map<String, Value>, String>>()
            .map(Value::Object),
        other => Ok(other.clone()),
    }
}

fn looked_up(path: &[&str], variables: &Variables) -> Result<Value, String> {
    let Some((root, fields)) = path.split_first() else { return Err("it is empty".to_owned()) };
    let mut value = variables.get(*root).ok_or_else(|| format!("there is no '{root}' here"))?;
    let mut so_far = (*root).to_owned();
    for field in fields {
        value = value.get(field).ok_or_else(|| format!("{so_far} has no field '{field}'"))?;
        so_far = format!("{so_far}.{field}");
    }
    Ok(value.clone())
}

/// What is wrong with a text that was rendered. The library does not say what is not there, so that is looked for among all
/// that the text names; what it has a default for may be among them.
fn said_of(error: &Error, source: &str, variables: &Variables) -> String {
    let said = said(error);
    // A filter says so in its own words.
    let is_told = error.detail().is_some_and(|detail| detail.contains("undefined"));
    if error.kind() != ErrorKind::UndefinedError && !is_told {
        return said;
    }
    let missing = |name: &String| looked_up(&name.split('.').collect::<Vec<_>>(), variables).err();
    let missing: BTreeSet<String> = uses(source).unwrap_or_default().iter().filter_map(missing).collect();
    match missing.is_empty() {
        true => said,
        false => {
            let told: Vec<String> = missing.into_iter().take(MOST_MISSING_TOLD).collect();
            format!("{said}: {}", told.join("; "))
        }
    }
}

/// What is wrong, in one line and without the library's own frames.
fn said(error: &Error) -> String {
    let line = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::UndefinedError => "it names something that is not there".to_owned(),
        ErrorKind::OutOfFuel => "it takes too long".to_owned(),
        kind => kind.to_string(),
    };
    match error.detail() {
        Some(detail) => format!("{line}{what} ({detail})"),
        None => format!("{line}{what}"),
    }
}
