//! Requests for a person's input of everything that a command waits for. The person at the terminal is asked; where there is none,
//! each request is reported once, so that nobody waits without knowing for whom.

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use accord_api::input_request::Purpose;
use accord_api::{InputQuery, InputRequest, InputStatus};
use accord_client::Client;
use indicatif::ProgressDrawTarget;
use tokio::time::sleep;

use crate::output;
use crate::terminal::{Asked, Terminal};
use crate::view::input;
use crate::view::text::Times;

/// People take minutes; a look costs one request.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How many open requests are looked at.
const LOOKED_AT: u32 = 500;

/// What is drawn on the terminal meanwhile.
pub(crate) trait Screen {
    /// Prints above what moves.
    fn say(&self, text: &str);

    /// Where what moves is drawn from now on.
    fn draw_to(&self, target: ProgressDrawTarget);
}

/// Has open requests among these answered, until it is dropped.
pub(crate) async fn announce(client: &Client, among: InputQuery, screen: impl Screen) -> Infallible {
    let open = InputQuery { status: Some(InputStatus::Open), limit: Some(LOOKED_AT), ..among };
    let mut terminal = Terminal::new();
    let mut told = HashSet::new();
    loop {
        // An unreachable coordinator is reported by the code that follows the run.
        let found = client.inputs(&open).await.map(|page| page.items).unwrap_or_default();
        for request in found.into_iter().rev() {
            if !told.insert(request.id.clone()) {
                continue;
            }
            let asked = match &mut terminal {
                None => Asked::Left,
                Some(terminal) => {
                    screen.say(&format!("\n{}\n", input::view(&request, &Times::here())));
                    // Nothing may move while somebody types.
                    screen.draw_to(ProgressDrawTarget::hidden());
                    output::message("\n");
                    let asked = terminal.ask(client, &request).await;
                    screen.draw_to(ProgressDrawTarget::stderr());
                    asked
                }
            };
            if asked == Asked::Left {
                screen.say(&how_to_answer(&request, client.base_url()));
            }
        }
        sleep(LOOK_EVERY).await;
    }
}

/// Commands that work wherever the coordinator is, also for one that ends with this command.
fn how_to_answer(request: &InputRequest, url: &str) -> String {
    let (id, url) = (&request.id, url.trim_end_matches('/'));
    let answer = match request.purpose {
        Purpose::Approval => "--approve",
        Purpose::Question => "--text ANSWER",
        Purpose::Correction | Purpose::Task | Purpose::ToolCall => "--value JSON",
    };
    format!(
        "A person has to answer: accord inputs show {id} --coordinator {url}\n  then: accord inputs answer {id} {answer} --coordinator {url}\n"
    )
}
