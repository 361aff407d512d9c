//! Judging one text.

use accord_contract::{Answer, Contract, Span, Verdict, judge};
use serde_json::Value;

use super::view::View;
use super::{Arguments, explain, report};
use crate::document::Input;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::meter::{meter, too_much};
use crate::output;

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let Some(schema) = arguments.compile_schema()? else {
        return Err(Problem::new("there is no schema to judge by").hint("give --schema FILE").into());
    };
    let contract = Contract::new(schema)
        .with_options(arguments.options())
        .with_invariants(arguments.compile_invariants()?);
    let input = match &arguments.input {
        Some(path) => Input::of(Some(path)).read()?.json("input")?,
        None => Value::Null,
    };
    let source = arguments.text().read()?;
    let answer = Answer::text(&source.text).to_input(&input);
    let verdict = judge(&answer, &contract, &meter());

    let spans: Option<Vec<Span>> = match arguments.explain {
        true => {
            let spans = accord_contract::explain(&source.text, &verdict, &contract, &meter());
            Some(spans.map_err(too_much("the text cannot be explained"))?)
        }
        false => None,
    };
    // An explanation is for people, even in a pager.
    let for_people = (arguments.explain || output::stdout_is_terminal()) && !arguments.json;
    let report = match &verdict {
        Verdict::Accepted(accepted) => for_people.then(|| report::accepted(&source, accepted)),
        Verdict::Rejected(rejected) => Some(report::rejected(&source, rejected, &answer, &contract)),
    };
    match (&spans, report) {
        (Some(spans), Some(report)) if for_people => {
            let drawing = explain::draw(&source, &verdict, spans, output::stdout_has_colours());
            output::show(&format!("{drawing}\n{report}"))?;
        }
        (None, Some(report)) if for_people => output::show(&report)?,
        (_, Some(report)) => output::message(&report),
        (_, None) => {}
    }
    if !for_people {
        let account = spans.map(|spans| explain::account(&source.text, &spans));
        output::json(&View::from(&verdict).with_account(account))?;
    }
    Ok(match verdict {
        Verdict::Accepted(_) => Exit::Success,
        Verdict::Rejected(_) => Exit::ContractNotMet,
    })
}
