//! `accord doctor`: the effective settings, their origins, and what is missing.

mod agents;
mod answers;
mod check;
mod commands;
mod coordinator;
mod database;
mod executor;
mod keys;
mod programs;
mod providers;
mod settings;
mod workflows;

use accord_api::AgentView;
use serde::Serialize;

use check::{Check, Status, lines};

use crate::config::Config;
use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::text::line;
use crate::{definitions, output, runtime, table};

/// Check the installation and show every setting with its origin
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Nothing is changed and secrets are hidden. Each provider that an agent uses or that is configured is
asked for its models, which costs nothing. Exit codes: 0 no check failed, 1 a check failed.

With --executor, a program that implements the executor protocol is tested instead. It gets a few
short prompts; if it calls a model, you pay for those.

Examples:
  accord doctor
  accord doctor --json | jq '.checks[] | select(.status != \"ok\")'
  accord doctor --executor 'python3 my_agent.py'")]
pub(crate) struct Arguments {
    #[arg(long)]
    json: bool,
    /// Test a program that implements the executor protocol; CMD is run by the shell
    #[arg(long, value_name = "CMD")]
    executor: Option<String>,
    /// Time limit for each answer of the program
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "executor")]
    timeout: u64,
    #[command(flatten)]
    connection: ConnectionArguments,
}

#[derive(Serialize)]
struct Report {
    ok: bool,
    project: String,
    settings: Vec<Setting>,
    checks: Vec<Check>,
}

#[derive(Serialize)]
struct Setting {
    key: String,
    value: String,
    origin: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.connection.config(Vec::new())?;
    if let Some(command) = &arguments.executor {
        return executor::run(command, arguments.timeout, &config.project, arguments.json);
    }
    let checks = runtime::block_on(async { Ok(examine(&config).await) })?;
    let settings = config.explain().into_iter();
    let settings = settings.map(|(key, value, origin)| Setting { key, value, origin: origin.to_string() });
    let report = Report {
        ok: checks.iter().all(|check| check.status != Status::Fail),
        project: config.project.display().to_string(),
        settings: settings.collect(),
        checks,
    };
    if arguments.json {
        output::json(&report)?;
    } else {
        output::show(&view(&report))?;
    }
    Ok(if report.ok { Exit::Success } else { Exit::Usage })
}

async fn examine(config: &Config) -> Vec<Check> {
    let agents = definitions::of_project::<AgentView>(config);
    let mut checks = settings::checks(config).await;
    let (coordinator, client) = coordinator::checks(config).await;
    checks.extend(coordinator);
    checks.extend(keys::check(client.as_ref()).await);
    let mut known: Vec<_> = agents.iter().map(|agent| agent.summary.clone()).collect();
    known.extend(agents::stored(client.as_ref()).await);
    checks.extend(database::checks(config).await);
    checks.extend(agents::checks(&known, &config.agents_dir()));
    checks.extend(agents::cassettes(&agents, &config.project.join(&config.values.runner.project_dir)));
    checks.extend(workflows::checks(config, client.as_ref()).await);
    let environment = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    checks.extend(providers::checks(&config.values.providers, &agents, environment));
    checks.extend(answers::checks(config, &agents).await);
    checks.push(commands::check(config));
    checks.extend(commands::openings(config, &agents).await);
    checks.extend(programs::checks(&known, &config.project, |name| std::env::var_os(name)));
    checks.extend(programs::acp_agents(&agents, &config.project, |name| std::env::var_os(name)));
    checks
}

fn view(report: &Report) -> String {
    let mut settings = table::new(&["setting", "value", "from"]);
    for Setting { key, value, origin } in &report.settings {
        settings.add_row([line(key), line(value), line(origin)]);
    }
    let head = format!("project {}\n\n{}\n", line(&report.project), settings.text());
    head + &lines(&report.checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_has_a_line_and_a_remedy() {
        let report = Report {
            ok: false,
            project: "/project".to_owned(),
            settings: vec![Setting {
                key: "server.listen".to_owned(),
                value: "\"127.0.0.1:1\"".to_owned(),
                origin: "--listen".to_owned(),
            }],
            checks: vec![
                Check::ok("store", "opens"),
                Check::warn("coordinator", "none runs", "accord up"),
                Check::fail("agents", "b is broken\nand so is c", "accord agents validate b"),
            ],
        };
        insta::assert_snapshot!(anstream::adapter::strip_str(&view(&report)).to_string(), @r#"
        project /project

        SETTING        VALUE          FROM
        server.listen  "127.0.0.1:1"  --listen

        ok    store: opens
        warn  coordinator: none runs
              hint: accord up
        fail  agents: b is broken
              and so is c
              hint: accord agents validate b
        "#);
    }
}
