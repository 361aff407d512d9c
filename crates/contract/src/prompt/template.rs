//! The templates, parsed once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value};

const SOURCE: &str = include_str!("templates.toml");

#[expect(
    clippy::expect_used,
    reason = "the templates are compiled in, and the tests of this module parse them"
)]
static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let sources: BTreeMap<String, String> =
        toml::from_str(SOURCE).expect("templates.toml is a table of strings");
    for (name, source) in sources {
        environment.add_template_owned(name, joined(&source)).expect("a template of templates.toml parses");
    }
    environment
});

/// Lines that end in a backslash continue on the next line, so that paragraphs can be wrapped in
/// the file. Two backslashes are one backslash.
fn joined(source: &str) -> String {
    source.replace("\\\n", "").replace("\\\\", "\\")
}

/// Renders a template. The templates are compiled in, so no caller can handle an error: its text is returned instead.
pub(super) fn render(name: &str, context: Value) -> String {
    let render = || -> Result<String, Error> { TEMPLATES.get_template(name)?.render(context) };
    render().unwrap_or_else(|error| format!("{error:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_parses() {
        let sources: BTreeMap<String, String> = toml::from_str(SOURCE).unwrap();
        assert!(!sources.is_empty());
        for name in sources.keys() {
            assert!(TEMPLATES.get_template(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_missing_value_is_an_error_and_not_a_blank() {
        assert!(render("nudge_submit", minijinja::context! {}).contains("undefined"));
    }
}
