//! Attempts: the model's answers and what was wrong with them.

use std::fmt::Write as _;

use accord_api::{Attempt, Strategy, ValueSource};

use super::Tone;
use super::text::{self, indent, line, paragraph, unescaped};
use crate::excerpt::visible;

/// Whether the answers are shown too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerText {
    /// Only what was made of it.
    Hidden,
    /// The question and the answer.
    Shown,
}

/// A block for each attempt.
pub(crate) fn list(attempts: &[Attempt], said: AnswerText) -> String {
    let blocks: Vec<String> = attempts.iter().map(|attempt| block(attempt, said)).collect();
    blocks.join("\n")
}

fn block(attempt: &Attempt, said: AnswerText) -> String {
    let mut text = format!("{}\n", head_with(attempt, attempt.source));
    text.push_str(&findings(attempt, "  "));
    if said == AnswerText::Shown {
        for (title, sent) in sent(attempt) {
            let _ = write!(text, "  {title}:\n{}", indent(&visible(sent), "  > "));
        }
        let _ = write!(text, "  answer:\n{}", indent(&visible(&attempt.text), "  | "));
    }
    text
}

/// What the model was sent, by part. Older attempts and those of foreign runners have the re-prompt alone.
fn sent(attempt: &Attempt) -> Vec<(&'static str, &str)> {
    let Some(sent) = &attempt.sent else {
        return attempt.prompt.iter().map(|prompt| ("prompt", prompt.as_str())).collect();
    };
    let examples = sent.examples.iter();
    let examples =
        examples.flat_map(|each| [("example", each.prompt.as_str()), ("its answer", each.answer.as_str())]);
    let parts = std::iter::once(("system prompt", sent.system_prompt.as_str())).chain(examples);
    parts.chain([("prompt", sent.prompt.as_str())]).filter(|(_, text)| !text.is_empty()).collect()
}

/// Number, verdict, and how it came to be, on one line. Where the value stood is worth a word only if it was not alone.
pub(crate) fn head(attempt: &Attempt) -> String {
    head_with(attempt, attempt.source.and_then(extracted))
}

/// The source of a value that was taken out of other text.
pub(super) fn extracted(source: ValueSource) -> Option<ValueSource> {
    matches!(source, ValueSource::Fence | ValueSource::Prose).then_some(source)
}

fn head_with(attempt: &Attempt, source: Option<ValueSource>) -> String {
    let delivery =
        if attempt.delivery > 1 { format!(" (delivery {})", attempt.delivery) } else { String::new() };
    let who = match (attempt.model.as_str(), attempt.endpoint.as_str()) {
        // A command has no model.
        ("", endpoint) => line(endpoint),
        (model, "") => line(model),
        (model, endpoint) => format!("{} at {}", line(model), line(endpoint)),
    };
    let strategy = match attempt.strategy {
        // A command: no model was held to anything.
        Strategy::Auto => "",
        strategy => strategy.as_str(),
    };
    let facts = [
        strategy.to_owned(),
        who,
        text::duration(attempt.duration_ms),
        text::usage(&attempt.usage),
        source.map(|source| format!("source: {}", source.as_str())).unwrap_or_default(),
    ];
    let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    let verdict = Tone::from(attempt.outcome).paint(attempt.outcome.as_str());
    format!("attempt {}{delivery}: {verdict}  {}", attempt.number, facts.join(" · "))
}

/// Errors and repairs, one a line.
pub(crate) fn findings(attempt: &Attempt, prefix: &str) -> String {
    let mut text = String::new();
    for error in &attempt.errors {
        let path = Tone::Bad.paint(&line(&unescaped(&error.path)));
        let message = paragraph(&unescaped(&error.message), &format!("{prefix}  "));
        let _ = writeln!(text, "{prefix}{path} {message}");
    }
    if attempt.more_errors > 0 {
        let _ = writeln!(text, "{prefix}and {}", text::counted(attempt.more_errors as u64, "more error"));
    }
    for repair in &attempt.repairs {
        let head = format!("repaired[{}]", line(&repair.kind));
        let _ = writeln!(
            text,
            "{prefix}{} {}: {}",
            Tone::Warning.paint(&head),
            line(&repair.path),
            line(&repair.detail)
        );
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn rejected() -> Attempt {
        serde_json::from_str(
            r#"{"number": 1, "delivery": 2, "at": "2026-11-15T10:00:01Z", "strategy": "tool", "model": "small",
            "endpoint": "openai-chat", "outcome": "schema_invalid",
            "errors": [{"path": "$.severity", "pointer": "/severity", "keyword": "enum",
                        "message": "'\u001b[31mcritical' is not one of ['low', 'high']"}],
            "more_errors": 1,
            "repairs": [{"kind": "extra_comma", "path": "$", "detail": "dropped a comma"}],
            "usage": {"input_tokens": 100, "output_tokens": 20}, "duration_ms": 1200,
            "text": "Sure:\n{\"severity\": \"\u001b[31mcritical\"}", "prompt": "Try again."}"#,
        )
        .unwrap()
    }

    #[test]
    fn an_attempt_is_a_block() {
        let text = list(&[rejected(), rejected()], AnswerText::Hidden);
        insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @r#"
        attempt 1 (delivery 2): schema_invalid  tool · small at openai-chat · 1.2s · 100 in, 20 out
          $.severity '\u{1b}[31mcritical' is not one of ['low', 'high']
          and 1 more error
          repaired[extra_comma] $: dropped a comma

        attempt 1 (delivery 2): schema_invalid  tool · small at openai-chat · 1.2s · 100 in, 20 out
          $.severity '\u{1b}[31mcritical' is not one of ['low', 'high']
          and 1 more error
          repaired[extra_comma] $: dropped a comma
        "#);
    }

    #[test]
    fn a_value_that_was_not_alone_is_mentioned() {
        let outcome = accord_api::attempt::Outcome::Accepted;
        let accepted = |source| Attempt { outcome, source: Some(source), ..rejected() };
        let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
        for (source, told) in [
            (ValueSource::Structured, false),
            (ValueSource::Text, false),
            (ValueSource::Fence, true),
            (ValueSource::Prose, true),
        ] {
            let name = format!(" · source: {}", source.as_str());
            assert_eq!(plain(&head(&accepted(source))).ends_with(&name), told, "{name}");
            assert!(plain(&list(&[accepted(source)], AnswerText::Hidden)).contains(&name), "{name}");
        }
    }

    #[test]
    fn control_characters_in_answers_are_escaped() {
        let text = list(&[rejected()], AnswerText::Shown);
        insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @r#"
        attempt 1 (delivery 2): schema_invalid  tool · small at openai-chat · 1.2s · 100 in, 20 out
          $.severity '\u{1b}[31mcritical' is not one of ['low', 'high']
          and 1 more error
          repaired[extra_comma] $: dropped a comma
          prompt:
          > Try again.
          answer:
          | Sure:
          | {"severity": "\u{1b}[31mcritical"}
        "#);
    }
}
