//! One recorded answer, and how it is judged.

use accord_contract::{Answer, Contract, Meter, Mode, Options, Schema, SchemaError, Verdict, judge};
use serde_json::Value;
use thiserror::Error;

use crate::exceptions::is_exception;

/// One recorded answer and what must be made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name, unique in its file.
    pub id: String,
    /// The kind of damage or difficulty, for the table.
    pub class: String,
    /// How strictly the text is read.
    pub mode: Mode,
    pub text: String,
    pub schema: Value,
    /// The expected outcome.
    pub expected: Expected,
}

/// The expected outcome of a case.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    Value(Value),
    Reject,
}

/// A line that is not a case.
#[derive(Debug, Error)]
#[error("line {line}: {problem}")]
pub struct CorpusError {
    /// The number of the line, from one.
    pub line: usize,
    pub problem: String,
}

impl Case {
    /// Compiles the schema with the options that the case asks for.
    pub fn contract(&self) -> Result<Contract, SchemaError> {
        let options = Options { mode: self.mode, ..Options::default() };
        Ok(Contract::new(Schema::compile(&self.schema, &Meter::default())?).with_options(options))
    }

    /// The value that the judge accepts. A schema that does not compile accepts nothing.
    pub fn judged(&self) -> Option<Value> {
        let contract = self.contract().ok()?;
        match judge(&Answer::text(&self.text), &contract, &Meter::default()) {
            Verdict::Accepted(accepted) => match accepted.account.check(&self.text, &accepted.value) {
                Ok(()) => Some(accepted.value),
                // Never the expected value, so it is counted and shown as a wrong one.
                Err(error) => Some(Value::from(format!("the account does not hold: {error}"))),
            },
            Verdict::Rejected(_) => None,
        }
    }
}

/// Reads a corpus file. Members that are not named above (`source`, `note`) are ignored. Cases that are listed as exceptions
/// must be refused.
pub fn parse(text: &str) -> Result<Vec<Case>, CorpusError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| case_of(line).map_err(|problem| CorpusError { line: index + 1, problem }))
        .collect()
}

/// By hand rather than by derive: a tagged enum would see exact numbers as maps (docs/adr/0002).
fn case_of(line: &str) -> Result<Case, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let word = |name: &str| {
        let member = value.get(name).and_then(Value::as_str);
        member.map(str::to_owned).ok_or_else(|| format!("'{name}' must be a string"))
    };
    let mode = match word("mode")?.as_str() {
        "strict" => Mode::Strict,
        "lenient" => Mode::Lenient,
        other => return Err(format!("the mode '{other}' is neither 'strict' nor 'lenient'")),
    };
    let expected = match value.pointer("/expect/kind").and_then(Value::as_str) {
        Some("value") => {
            let value = value.pointer("/expect/value").ok_or("an expected value is missing")?;
            Expected::Value(value.clone())
        }
        Some("reject") => Expected::Reject,
        _ => return Err("'expect.kind' must be 'value' or 'reject'".to_owned()),
    };
    let schema = value.get("schema").cloned().ok_or("'schema' is missing")?;
    let id = word("id")?;
    let expected = if is_exception(&id) { Expected::Reject } else { expected };
    Ok(Case { id, class: word("class")?, mode, text: word("text")?, schema, expected })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_of_a_line_are_ignored() {
        let line = r#"{"id":"a","class":"plain","mode":"lenient","text":"1","schema":true,"note":"x","expect":{"kind":"value","value":1.50}}"#;
        let cases = parse(&format!("{line}\n\n")).unwrap();
        let expected = Expected::Value(serde_json::from_str("1.50").unwrap());
        assert_eq!(
            cases,
            [Case {
                id: "a".into(),
                class: "plain".into(),
                mode: Mode::Lenient,
                text: "1".into(),
                schema: json!(true),
                expected
            }]
        );
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = parse("\n{\"id\":\"a\",\"mode\":\"lax\"}").unwrap_err();
        assert_eq!(error.to_string(), "line 2: the mode 'lax' is neither 'strict' nor 'lenient'");
    }

    #[test]
    fn a_schema_that_does_not_compile_accepts_nothing() {
        let line = r#"{"id":"a","class":"plain","mode":"strict","text":"1","schema":{"type":"int"},"expect":{"kind":"reject"}}"#;
        let cases = parse(line).unwrap();
        assert_eq!(cases[0].judged(), None);
    }
}
