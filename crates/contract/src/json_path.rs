//! A place inside a JSON document, written for people (`$.issues[0].severity`) and for machines
//! (`/issues/0/severity`).

use std::fmt::Write as _;

use serde_json::Value;

/// One step from a value to one of its parts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A member of an object.
    Key(String),
    /// An item of an array.
    Index(usize),
}

impl Step {
    /// The step that a name means inside a value: an index in an array, a key anywhere else.
    pub(crate) fn of(container: Option<&Value>, name: String) -> Self {
        match (container, name.parse()) {
            (Some(Value::Array(_)), Ok(index)) => Self::Index(index),
            _ => Self::Key(name),
        }
    }

    /// The part of a value that this step leads to.
    pub(crate) fn within<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        match self {
            Self::Key(name) => value.get(name),
            Self::Index(index) => value.get(index),
        }
    }
}

/// The way from the root of a document to one of its parts. The empty place is the root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct JsonPath(Vec<Step>);

impl JsonPath {
    /// The whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// The place that a JSON pointer (RFC 6901) means in a document.
    pub fn of_pointer(document: &Value, pointer: &str) -> Self {
        let mut current = Some(document);
        let step = |token: &str| {
            let step = Step::of(current, token.replace("~1", "/").replace("~0", "~"));
            current = current.and_then(|value| step.within(value));
            step
        };
        pointer.split('/').skip(1).map(step).collect()
    }

    /// The place of a part, where this is the place of the whole.
    pub fn join(&self, part: &Self) -> Self {
        self.0.iter().chain(&part.0).cloned().collect()
    }

    /// The steps from the root.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Goes one step further down.
    pub fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    /// Goes back up one step.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// The place of a member of this object.
    pub fn key(&self, name: &str) -> Self {
        let mut place = self.clone();
        place.push(Step::Key(name.to_owned()));
        place
    }

    /// The place of an item of this array.
    pub fn index(&self, index: usize) -> Self {
        let mut place = self.clone();
        place.push(Step::Index(index));
        place
    }

    /// As people write it: `$.issues[0].severity`; a name that is not a word is quoted: `$["a b"]`.
    pub fn path(&self) -> String {
        let mut path = String::from("$");
        for step in &self.0 {
            match step {
                Step::Index(index) => {
                    let _ = write!(path, "[{index}]");
                }
                Step::Key(name) if is_word(name) => {
                    path.push('.');
                    path.push_str(name);
                }
                Step::Key(name) => {
                    let _ = write!(path, "[{}]", Value::from(name.as_str()));
                }
            }
        }
        path
    }

    /// As RFC 6901 writes it: `/issues/0/severity`.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.0 {
            match step {
                Step::Index(index) => {
                    let _ = write!(pointer, "/{index}");
                }
                Step::Key(name) => {
                    pointer.push('/');
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
            }
        }
        pointer
    }
}

impl FromIterator<Step> for JsonPath {
    fn from_iter<T: IntoIterator<Item = Step>>(steps: T) -> Self {
        Self(steps.into_iter().collect())
    }
}

fn is_word(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|each| each.is_alphanumeric() || each == '_' || each == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_words_are_quoted() {
        let place = JsonPath::root().key("issues").index(0).key("a b").key("~/");
        assert_eq!(place.path(), r#"$.issues[0]["a b"]["~/"]"#);
        assert_eq!(place.pointer(), "/issues/0/a b/~0~1");
    }

    #[test]
    fn the_root_is_a_dollar_and_an_empty_pointer() {
        assert_eq!(JsonPath::root().path(), "$");
        assert_eq!(JsonPath::root().pointer(), "");
    }
}
