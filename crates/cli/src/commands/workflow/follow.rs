//! Following a workflow run to its end, with the graph filling in where a person looks.

use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::time::Duration;

use accord_api::{
    CreateWorkflowRun, EventBody, EventId, EventView, InputQuery, NodeStatus, WorkflowRunId, WorkflowRunView,
};
use accord_client::{Client, ClientError, EventFilter};
use futures_util::StreamExt as _;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use owo_colors::OwoColorize as _;
use tokio::time::Instant;

use crate::failure::{Failure, Problem};
use crate::follow::{Interruption, STOP_PATIENCE, deadline, gone, until};
use crate::open_inputs::Screen;
use crate::unclaimed_runs::{self, Awaited};
use crate::view::text::line;
use crate::view::{event, workflow};
use crate::{open_inputs, output, runtime};

/// How often the elapsed time moves.
const TICK: Duration = Duration::from_millis(120);

/// The most lines that fit a screen; of a larger graph, only running nodes are shown.
const MOST_LINES: usize = 40;

/// How the following ended.
pub(crate) struct Ending {
    /// The run's current state.
    pub(crate) run: WorkflowRunView,
    /// What came before the end of the run, if something did.
    pub(crate) interruption: Option<Interruption>,
}

/// Runs a workflow and follows it. A signal or the time limit stops it.
pub(crate) async fn follow(
    client: &Client,
    name: &str,
    request: &CreateWorkflowRun,
    idempotency_key: Option<&str>,
    time_limit: Option<Duration>,
) -> Result<Ending, Failure> {
    let mut signals = runtime::signals()?;
    let created = client.run_workflow(name, request, idempotency_key).await?;
    let id = &created.workflow_run_id;
    let mut drawing = Drawing::new(&client.workflow_run(id).await?);
    let filter = EventFilter { workflow_run_id: Some(id.clone()), ..EventFilter::default() };
    let mut events = client.events(&filter, Some(EventId::default()));
    let mut gone = std::pin::pin!(gone(client));
    let mut waiting =
        std::pin::pin!(unclaimed_runs::announce(client, Awaited::Workflow(id), drawing.speaker()));
    let inputs = InputQuery { workflow_run_id: Some(id.clone()), ..InputQuery::default() };
    let mut asked = std::pin::pin!(open_inputs::announce(client, inputs, drawing.graph()));
    let mut limit = deadline(time_limit);
    let mut interruption = None;
    loop {
        let interrupted = tokio::select! {
            item = events.next() => match item {
                Some(Ok(event)) => {
                    drawing.tell(&event);
                    if matches!(event.body, EventBody::WorkflowFinished { .. }) { break }
                    continue
                }
                // An event of a newer coordinator, or too large a one: what matters comes at the end.
                Some(Err(error @ ClientError::Unreadable { .. })) => {
                    drawing.above(&event::unread(&error));
                    continue
                }
                Some(Err(error)) => return Err(error.into()),
                None => return Err(ended_early(id)),
            },
            Some(()) = signals.recv() => Interruption::Signal,
            () = until(limit) => Interruption::Timeout,
            cause = &mut gone => return Err(vanished(client, id, &cause)),
            never = &mut waiting => match never {},
            never = &mut asked => match never {},
        };
        if interruption.is_some() {
            break;
        }
        interruption = Some(interrupted);
        limit = Some(Instant::now() + STOP_PATIENCE);
        client.stop_workflow_run(id).await?;
    }
    let run = client.workflow_run(id).await?;
    drawing.end(&run);
    Ok(Ending { run, interruption })
}

fn ended_early(id: &WorkflowRunId) -> Failure {
    Failure::Remote(Problem::new(format!("the event stream of {id} ended before the run finished")))
}

fn vanished(client: &Client, id: &WorkflowRunId, cause: &str) -> Failure {
    let url = client.base_url().trim_end_matches('/');
    let hint = format!(
        "the run is saved; when the coordinator is back, run `accord workflows show {id} --coordinator {url}`"
    );
    Failure::Remote(Problem::new(format!("{id} has not finished, but {cause}")).hint(hint))
}

/// What is drawn of the graph, if it is.
struct Graph(Option<MultiProgress>);

impl Screen for Graph {
    fn say(&self, text: &str) {
        match &self.0 {
            Some(screen) => screen.suspend(|| output::message(text)),
            None => output::message(text),
        }
    }

    fn draw_to(&self, target: ProgressDrawTarget) {
        if let Some(screen) = &self.0 {
            screen.set_draw_target(target);
        }
    }
}

/// The graph on a terminal, a line for each node. In a pipe: nothing.
struct Drawing {
    screen: Option<MultiProgress>,
    lines: HashMap<String, ProgressBar>,
    width: usize,
    /// Whether every node has its line.
    whole: bool,
}

impl Drawing {
    fn new(run: &WorkflowRunView) -> Self {
        let screen = std::io::stderr().is_terminal().then(MultiProgress::new);
        let width = run.nodes.iter().map(|node| node.id.chars().count()).max().unwrap_or_default();
        let whole = run.nodes.len() <= MOST_LINES;
        let mut drawing = Self { screen, lines: HashMap::new(), width, whole };
        if whole {
            for node in &run.nodes {
                drawing.set(&node.id, node.status, node.warning.as_deref(), &node.kind);
            }
        }
        drawing
    }

    fn tell(&mut self, event: &EventView) {
        match &event.body {
            EventBody::WorkflowNodeStarted { node, kind, attempt, .. } => {
                let again = if *attempt > 1 { format!("{kind}, attempt {attempt}") } else { kind.clone() };
                self.set(node, NodeStatus::Running, None, &again);
            }
            EventBody::WorkflowNodeFinished { node, status, error, warning } => {
                let detail = error.as_ref().map(|error| error.message.as_str()).or(warning.as_deref());
                self.set(node, *status, warning.as_deref(), &detail.map(line).unwrap_or_default());
                if !self.whole
                    && let Some(bar) = self.lines.remove(node)
                {
                    bar.finish_and_clear();
                }
            }
            EventBody::WorkflowContradiction { node, contradiction } => {
                self.above(&workflow::contradiction(node, contradiction));
            }
            EventBody::WorkflowComparisonTruncated { node, truncated } => {
                self.above(&workflow::truncations(node, truncated));
            }
            _ => {}
        }
    }

    /// Prints above the graph, or normally if none is drawn.
    fn speaker(&self) -> impl Fn(&str) + use<> {
        let graph = self.graph();
        move |text| graph.say(text)
    }

    fn graph(&self) -> Graph {
        Graph(self.screen.clone())
    }

    fn above(&self, text: &str) {
        if let Some(screen) = &self.screen {
            screen.suspend(|| output::message(text));
        }
    }

    fn set(&mut self, node: &str, status: NodeStatus, warning: Option<&str>, detail: &str) {
        let Some(screen) = &self.screen else { return };
        let bar = self.lines.entry(node.to_owned()).or_insert_with(|| screen.add(ProgressBar::new_spinner()));
        let name = format!("{:<width$}", line(node), width = self.width);
        let detail = detail.dimmed();
        let template = match status {
            NodeStatus::Running => "{spinner:.cyan} {msg} {elapsed:.dim}",
            _ => "{msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "));
        }
        match status {
            NodeStatus::Running => {
                bar.reset_elapsed();
                bar.enable_steady_tick(TICK);
                bar.set_message(output::on_stderr(&format!("{name}  {detail}")));
            }
            _ => {
                bar.disable_steady_tick();
                let mark = workflow::mark(status, warning);
                bar.set_message(output::on_stderr(&format!("{mark} {name}  {detail}")));
            }
        }
        bar.tick();
    }

    /// Keeps the last picture and reports how the run ended.
    fn end(self, run: &WorkflowRunView) {
        if self.screen.is_none() {
            return;
        }
        for node in &run.nodes {
            if let Some(bar) = self.lines.get(&node.id) {
                bar.abandon();
            }
        }
        output::message(&workflow::end(run));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Independent of where the test runs: a line contains what may be shown there.
    #[test]
    fn a_line_has_colours_only_if_enabled() {
        let screen = MultiProgress::with_draw_target(indicatif::ProgressDrawTarget::hidden());
        let mut drawing = Drawing { screen: Some(screen), lines: HashMap::new(), width: 4, whole: true };
        for status in [NodeStatus::Waiting, NodeStatus::Running, NodeStatus::Completed, NodeStatus::Failed] {
            drawing.set("work", status, None, "agent");
            let message = drawing.lines["work"].message();
            assert!(message.contains("work") && message.contains("agent"), "{message:?}");
            assert_eq!(message, output::on_stderr(&message), "{status:?}");
        }
        drawing.set("work", NodeStatus::Completed, Some("nobody found anything"), "nobody found anything");
        let message = drawing.lines["work"].message();
        assert!(message.contains('!') && !message.contains('✓'), "{message:?}");
    }
}
