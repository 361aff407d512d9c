//! Output of a run while it works, reported in small parts.
//!
//! It is for people who watch the run and not part of the result. The rate, the size of a part and the total are limited. A turn
//! that ends before the first part is due reports none, because its message contains the whole text.

use accord_api::{EventBody, OutputChannel};
use tokio::time::{Duration, Instant, sleep_until};

use crate::limits::{LIVE_BYTES, LIVE_EVENTS, LIVE_PAUSE, LIVE_PAUSE_GROWTH, LIVE_TEXT_BYTES};
use crate::text::shortened_front;

/// The last text of a run's live output.
const REST_LEFT_OUT: &str = "\n[the rest of the live output is left out]\n";

/// Output that waits to be reported.
#[derive(Debug, Default)]
pub(super) struct Live {
    text: String,
    stderr: String,
    due: Option<Instant>,
    events: u32,
    bytes: usize,
    is_over: bool,
}

impl Live {
    pub(super) fn take(&mut self, channel: OutputChannel, part: &str) {
        if self.is_over || part.is_empty() {
            return;
        }
        let pending = match channel {
            OutputChannel::Text => &mut self.text,
            OutputChannel::Stderr => &mut self.stderr,
        };
        pending.push_str(part);
        // Twice, so that a flood of small parts is not moved for each of them.
        if pending.len() > 2 * LIVE_TEXT_BYTES {
            *pending = shortened_front(pending, LIVE_TEXT_BYTES);
        }
        if self.due.is_none() {
            self.due = Some(Instant::now() + self.pause());
        }
    }

    /// Grows with the run, so that a run of hours has a few events a minute and not four a second.
    fn pause(&self) -> Duration {
        LIVE_PAUSE.saturating_mul(1 + self.events / LIVE_PAUSE_GROWTH)
    }

    /// Drops the waiting text, because a message contains the whole text.
    pub(super) fn discard_text(&mut self) {
        self.text.clear();
        if self.stderr.is_empty() {
            self.due = None;
        }
    }

    /// Waits until output is due; forever if none is waiting.
    pub(super) async fn due(&self) {
        match self.due {
            Some(due) => sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    /// Takes the waiting output as events.
    pub(super) fn take_due(&mut self) -> Vec<EventBody> {
        self.due = None;
        let waiting = [
            (OutputChannel::Text, std::mem::take(&mut self.text)),
            (OutputChannel::Stderr, std::mem::take(&mut self.stderr)),
        ];
        let mut told = Vec::new();
        for (channel, text) in waiting {
            if text.is_empty() || self.is_over {
                continue;
            }
            let mut text = shortened_front(&text, LIVE_TEXT_BYTES);
            (self.events, self.bytes) = (self.events + 1, self.bytes + text.len());
            self.is_over = self.events >= LIVE_EVENTS || self.bytes >= LIVE_BYTES;
            if self.is_over {
                text.push_str(REST_LEFT_OUT);
            }
            told.push(EventBody::OutputDelta { channel, text });
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(told: Vec<EventBody>) -> Vec<(OutputChannel, String)> {
        let text = |body| match body {
            EventBody::OutputDelta { channel, text } => (channel, text),
            other => panic!("{other:?}"),
        };
        told.into_iter().map(text).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn parts_are_reported_together_after_a_pause() {
        let mut live = Live::default();
        let begun = Instant::now();
        for part in ["a", "b", "", "c"] {
            live.take(OutputChannel::Text, part);
        }
        live.take(OutputChannel::Stderr, "loading\n");
        live.due().await;
        assert_eq!(begun.elapsed(), LIVE_PAUSE);
        let expected =
            [(OutputChannel::Text, "abc".to_owned()), (OutputChannel::Stderr, "loading\n".to_owned())];
        assert_eq!(texts(live.take_due()), expected);
        assert_eq!((live.take_due(), live.due), (vec![], None));
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_replaces_its_parts() {
        let mut live = Live::default();
        live.take(OutputChannel::Text, "abc");
        live.discard_text();
        assert_eq!((live.take_due(), live.due), (vec![], None));
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_bounded_at_once_and_in_all() {
        let mut live = Live::default();
        let mut bytes = 0;
        for _ in 0..10 * LIVE_EVENTS {
            for _ in 0..20 {
                live.take(OutputChannel::Stderr, &"x".repeat(1000));
            }
            for (_, text) in texts(live.take_due()) {
                assert!(
                    text.len() <= LIVE_TEXT_BYTES + REST_LEFT_OUT.len() && text.starts_with('['),
                    "{text}"
                );
                bytes += text.len();
            }
        }
        assert!(bytes <= LIVE_BYTES + LIVE_TEXT_BYTES + REST_LEFT_OUT.len(), "{bytes}");
        live.take(OutputChannel::Text, "more");
        assert_eq!((live.take_due(), live.due), (vec![], None));
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_run_reports_less_often() {
        let mut live = Live::default();
        let begun = Instant::now();
        let mut told = Vec::new();
        while told.len() < LIVE_EVENTS as usize {
            live.take(OutputChannel::Text, "x");
            live.due().await;
            told.extend(texts(live.take_due()));
        }
        assert!(told.last().is_some_and(|(_, text)| text.ends_with(REST_LEFT_OUT)));
        assert!(begun.elapsed() > LIVE_PAUSE * LIVE_EVENTS * 3, "{:?}", begun.elapsed());
    }
}
