//! Wrong usage of the command line: clap's message, with a better suggestion, and as JSON.

use accord_domain::nearest;
use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue};
use serde_json::json;

use crate::arguments::Arguments;
use crate::exit::Exit;
use crate::failure::Problem;
use crate::output;

/// Prints clap's message: help and version are results, everything else is wrong usage.
pub(crate) fn report(mut error: clap::Error, as_json: bool) -> Exit {
    suggest_command(&mut error);
    // Nothing is left to be done when the message itself cannot be written.
    let _ = error.print();
    if !error.use_stderr() {
        return Exit::Success;
    }
    if as_json {
        let _ = output::json(&json!({"error": misused(&error.render().to_string())}));
    }
    Exit::Usage
}

/// Suggests the nearest command for an unknown one. clap does not find letters that are swapped in a short word.
fn suggest_command(error: &mut clap::Error) {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand).cloned() else {
        return;
    };
    let mut command = Arguments::command();
    for argument in std::env::args().skip(1).take_while(|argument| *argument != given) {
        if let Some(inner) = command.find_subcommand(&argument).cloned() {
            command = inner;
        }
    }
    let names = command.get_subcommands().filter(|inner| !inner.is_hide_set()).map(clap::Command::get_name);
    if let Some(name) = nearest(&given, names) {
        let name = ContextValue::Strings(vec![name.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, name);
    }
}

/// Clap's message by paragraph: what is wrong, possibly a tip, the usage, and where to read more.
fn misused(message: &str) -> Problem {
    let paragraphs: Vec<&str> = message.split("\n\n").map(str::trim).collect();
    let wrong = paragraphs.first().copied().unwrap_or_default();
    let tip = paragraphs.iter().find_map(|paragraph| paragraph.strip_prefix("tip: "));
    let hint = tip.or(paragraphs.last().copied()).unwrap_or_default();
    Problem::new(wrong.strip_prefix("error: ").unwrap_or(wrong)).hint(hint)
}
