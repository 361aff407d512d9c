//! `cargo xtask corpus`: the score of the judge over a file of recorded answers.

use accord_contract::Mode;
use accord_corpus::{Case, Group, Mark, Score, Tally, Thresholds, parse};
use anyhow::{Context, Result, bail};

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    file: String,
    verbose: bool,
    mode: Option<Mode>,
}

impl Request {
    fn of(arguments: &[String]) -> Result<Self> {
        let mut file = None;
        let (mut verbose, mut mode) = (false, None);
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--verbose" => verbose = true,
                "--mode-override" => mode = Some(mode_of(rest.next())?),
                _ if argument.starts_with('-') => bail!("unknown option {argument}"),
                _ if file.is_some() => bail!("one file at a time, not also {argument}"),
                _ => file = Some(argument.clone()),
            }
        }
        Ok(Self { file: file.context("which file?")?, verbose, mode })
    }
}

fn mode_of(word: Option<&String>) -> Result<Mode> {
    match word.map(String::as_str) {
        Some("strict") => Ok(Mode::Strict),
        Some("lenient") => Ok(Mode::Lenient),
        _ => bail!("--mode-override takes 'strict' or 'lenient'"),
    }
}

/// Whether the score is good enough.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let request = Request::of(arguments)?;
    let text =
        std::fs::read_to_string(&request.file).with_context(|| format!("cannot read {}", request.file))?;
    let cases = parse(&text).with_context(|| request.file.clone())?;
    let score = Score::of(&cases, |case| match request.mode {
        Some(mode) => Case { mode, ..case.clone() }.judged(),
        None => case.judged(),
    });
    let report = report(&score, request.verbose);
    println!("{report}");
    Ok(score.shortfalls(Thresholds::default()).is_empty())
}

fn report(score: &Score, verbose: bool) -> String {
    let mut lines =
        vec![row("class", ["total", "right", "missed", "wrong", "false acc", "accuracy"].map(str::to_owned))];
    lines.extend(score.classes.iter().map(|(class, tally)| tally_row(class, *tally)));
    lines.push(String::new());
    for (name, group) in
        [("strict", Group::Strict), ("lenient", Group::Lenient), ("must be refused", Group::Reject)]
    {
        lines.push(tally_row(name, score.group(group)));
    }
    for (id, mark, accepted) in &score.faults {
        let found = accepted.as_ref().map(ToString::to_string).unwrap_or_default();
        match mark {
            Mark::WrongValue => lines.push(format!("wrong value: {id}: {found}")),
            Mark::FalseAccept => lines.push(format!("false accept: {id}: {found}")),
            Mark::Missed if verbose => lines.push(format!("missed: {id}")),
            Mark::Missed | Mark::Right => {}
        }
    }
    lines.extend(score.shortfalls(Thresholds::default()).iter().map(|short| format!("not enough: {short}")));
    lines.join("\n")
}

fn tally_row(name: &str, tally: Tally) -> String {
    let counts = [tally.total(), tally.right, tally.missed, tally.wrong_value, tally.false_accept];
    let [total, right, missed, wrong, accepts] = counts.map(|count| count.to_string());
    row(name, [total, right, missed, wrong, accepts, format!("{:.1} %", tally.accuracy())])
}

fn row(name: &str, cells: [String; 6]) -> String {
    let cells: String = cells.iter().map(|cell| format!("{cell:>10}")).collect();
    format!("{name:<22}{cells}")
}

#[cfg(test)]
mod tests {
    use accord_corpus::parse;

    use super::*;

    fn request(line: &str) -> Result<Request> {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Request::of(&arguments)
    }

    #[test]
    fn the_command_line_is_read() {
        let expected = Request { file: "a.jsonl".into(), verbose: true, mode: Some(Mode::Lenient) };
        assert_eq!(request("--verbose a.jsonl --mode-override lenient").unwrap(), expected);
        for wrong in ["", "a b", "a --loud", "a --mode-override", "a --mode-override lax"] {
            assert!(request(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn faults_are_listed_and_misses_only_on_request() {
        let line = |id: &str, expect: &str| {
            format!(
                r#"{{"id":"{id}","class":"c","mode":"strict","text":"","schema":true,"expect":{expect}}}"#
            )
        };
        let lines = [
            line("m", r#"{"kind":"value","value":1}"#),
            line("w", r#"{"kind":"value","value":1}"#),
            line("f", r#"{"kind":"reject"}"#),
        ];
        let cases = parse(&lines.join("\n")).unwrap();
        let score = Score::of(&cases, |case| (case.id != "m").then(|| 2.into()));
        let short = report(&score, false);
        assert!(short.contains("wrong value: w: 2") && short.contains("false accept: f: 2"), "{short}");
        assert!(!short.contains("missed: m") && report(&score, true).contains("missed: m"));
        assert!(short.contains("not enough: strict accuracy is 0.0 %; 99 % is needed"), "{short}");
    }
}
