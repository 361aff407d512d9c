//! Templates over the inputs of a node.
//!
//! A text is rendered: strings stand in it as they are, everything else as JSON. A text that is one expression and
//! nothing else, `{{ review.findings }}`, is that value itself: a list stays a list. A plain path is looked up and not
//! rendered, so that no number changes on the way. What is not there is an error, never a blank.

mod values;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, escape_formatter};
use serde_json::{Map, Value};

use crate::limits::{MAX_RENDERED_BYTES, MAX_TEMPLATE_BYTES, TEMPLATE_FUEL};
use values::{from_json, to_json};

/// What templates know by name.
pub(crate) type Variables = Map<String, Value>;

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(TEMPLATE_FUEL));
    environment.add_filter("tojson", |value: minijinja::Value| values::pretty(&value));
    environment.set_formatter(|output, state, value| match values::is_structured(value) {
        true => output.write_str(&values::pretty(value)).map_err(Error::from),
        false => escape_formatter(output, state, value),
    });
    environment
});

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
    let inner = text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    let Some(inner) = inner.filter(|inner| !inner.contains("{{") && !inner.contains("}}")) else {
        return Shape::Text;
    };
    let inner = inner.trim_matches('-').trim();
    let is_word = |word: &&str| {
        let mut characters = word.chars();
        characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && characters.all(|each| each.is_ascii_alphanumeric() || each == '_')
    };
    let words: Vec<&str> = inner.split('.').collect();
    match words.iter().all(is_word) && !["true", "false", "none"].contains(&inner) {
        true => Shape::Path(words),
        false => Shape::Expression(inner),
    }
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
    let rendered = ENVIRONMENT.render_str(source, context(variables)).map_err(|error| said(&error))?;
    match rendered.len() <= MAX_RENDERED_BYTES {
        true => Ok(rendered),
        false => Err(format!("the text has {} bytes; {MAX_RENDERED_BYTES} is the most", rendered.len())),
    }
}

/// The value of a text: itself, what its one expression gives, or the text that is rendered.
pub(crate) fn value(source: &str, variables: &Variables) -> Result<Value, String> {
    match shape(source) {
        Shape::Plain => Ok(Value::from(source)),
        Shape::Text => text(source, variables).map(Value::from),
        Shape::Path(path) => looked_up(&path, variables),
        Shape::Expression(expression) => {
            let expression = ENVIRONMENT.compile_expression(expression).map_err(|error| said(&error))?;
            let value = expression.eval(context(variables)).map_err(|error| said(&error))?;
            match value.is_undefined() {
                true => Err("it gives nothing".to_owned()),
                false => to_json(&value),
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

fn context(variables: &Variables) -> minijinja::Value {
    minijinja::Value::from_pairs(variables.iter().map(|(name, value)| (name.clone(), from_json(value))))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn variables() -> Variables {
        let document =
            r#"{"review": {"findings": [{"line": 1, "cost": 1.10}], "text": "a <b>"}, "none_here": null}"#;
        serde_json::from_str(document).unwrap()
    }

    #[test]
    fn one_expression_is_its_value() {
        let of = |source: &str| value(source, &variables());
        assert_eq!(of("{{ review.findings }}"), Ok(variables()["review"]["findings"].clone()));
        assert_eq!(of(" {{ review.findings | length }} "), Ok(json!(1)));
        assert_eq!(of("{{ review.findings[0].line + 1 }}"), Ok(json!(2)));
        assert_eq!(of("{{ none_here }}"), Ok(json!(null)));
        assert_eq!(of("plain"), Ok(json!("plain")));
        let exact = of("{{ review.findings[0].cost }}").map(|value| value.to_string());
        assert_eq!(exact, Ok("1.10".to_owned()));
    }

    #[test]
    fn a_text_has_strings_as_they_are_and_the_rest_as_json() {
        let text = text("{{ review.text }}: {{ review.findings }} {{ 1 + 1 }}", &variables());
        let expected = "a <b>: [\n  {\n    \"line\": 1,\n    \"cost\": 1.10\n  }\n] 2";
        assert_eq!(text, Ok(expected.to_owned()));
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        for source in ["{{ review.other }}", "x {{ review.other }}", "{{ other }}", "{{ other.a | length }}"]
        {
            assert!(value(source, &variables()).is_err(), "{source}");
        }
        assert_eq!(value("{{ review.a.b }}", &variables()), Err("review has no field 'a'".to_owned()));
    }

    #[test]
    fn the_fields_that_a_text_reads_are_known() {
        let used = uses("{{ a.b }} {% for x in c.d %}{{ x.e }}{{ range(3) }}{% endfor %}");
        assert_eq!(used, Ok(BTreeSet::from(["a.b".to_owned(), "c.d".to_owned()])));
        assert!(uses("{{ a.b").is_err());
    }

    #[test]
    fn an_endless_template_ends() {
        let source = "{% for a in range(9999) %}{% for b in range(9999) %}{{ a }}{% endfor %}{% endfor %}";
        assert_eq!(text(source, &variables()), Err("line 1: it takes too long".to_owned()));
    }
}
