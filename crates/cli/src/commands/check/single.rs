//! Judging one text.

use accord_contract::{Answer, Contract, Verdict, judge};
use serde_json::Value;

use super::view::View;
use super::{Arguments, report};
use crate::document::Input;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
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
    let verdict = judge(&answer, &contract);

    let for_people = output::stdout_is_terminal() && !arguments.json;
    match &verdict {
        Verdict::Accepted(accepted) if for_people => output::show(&report::accepted(accepted))?,
        Verdict::Rejected(rejected) => {
            let report = report::rejected(&source, rejected, &answer, &contract);
            if for_people { output::show(&report)? } else { output::talk(&report) }
        }
        Verdict::Accepted(_) => {}
    }
    if !for_people {
        output::json(&View::from(&verdict))?;
    }
    Ok(match verdict {
        Verdict::Accepted(_) => Exit::Success,
        Verdict::Rejected(_) => Exit::ContractNotMet,
    })
}
