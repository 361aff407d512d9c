//! Repeats a turn while its provider is unavailable.
//!
//! Sessions with a model repeat single requests themselves, and tools that were used stay used.
//! Agent CLIs and external programs only report that the whole turn failed: it is repeated if it
//! used no tools, so that nothing is done twice.

use accord_executor::{Answer, Attempts, GaveUp, Turn, Usage};
use tokio::time::sleep;

use super::turn_events::TurnEvents;
use super::turns::{NoAnswer, Turns, ended, wire};

impl Turns<'_> {
    /// Asks a turn until there is an answer, or an error that does not pass.
    pub(super) async fn patiently(&mut self, mut turn: Box<Turn>) -> Result<Answer, (NoAnswer, Usage)> {
        if self.capabilities.repeats || !self.capabilities.reprompt {
            return self.listen(turn).await;
        }
        let mut attempts = Attempts::new(self.budget.retry(), self.assignment.session_id.as_str());
        let mut used = Usage::default();
        loop {
            let (why, usage) = match self.listen(turn.clone()).await {
                Ok(answer) => {
                    used.add(answer.usage);
                    return Ok(Answer { usage: used, ..answer });
                }
                Err(failed) => failed,
            };
            used.add(usage);
            let reason = match why {
                NoAnswer::Transport(words) if self.has_worked => {
                    let words = format!("{words} (not retried, because tools were used in this turn)");
                    return Err((NoAnswer::Transport(words), used));
                }
                NoAnswer::Transport(words) => words,
                why => return Err((why, used)),
            };
            let spent = self.used_in_all().and(wire(used));
            if let Some(words) = self.budget.exhausted(&spent) {
                return Err((NoAnswer::Exhausted(words), used));
            }
            turn.allowance = self.budget.left(&spent);
            let wait =
                attempts.failed(reason, None).map_err(|GaveUp(words)| (NoAnswer::Transport(words), used))?;
            let pause = wait.pause;
            TurnEvents::new(self.observer, &self.assignment.run_id, self.budget).tell(wait.event()).await;
            tokio::select! {
                biased;
                over = self.budget.over() => return Err((ended(over), used)),
                () = sleep(pause) => {}
            }
        }
    }
}
