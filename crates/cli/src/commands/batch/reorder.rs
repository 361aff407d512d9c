//! Puts inputs that finish out of order back into order.

use std::collections::BTreeMap;

use super::record::Done;

/// How far finished inputs may be ahead of a slow one, in number and in bytes. Then no more are started.
const MOST: usize = 1_000;
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Finished inputs by their index.
#[derive(Default)]
pub(super) struct ReorderBuffer {
    held: BTreeMap<usize, Option<Done>>,
    bytes: usize,
    next: usize,
}

impl ReorderBuffer {
    /// Adds what became of the input at this place; nothing where it was not asked for.
    pub(super) fn add(&mut self, place: usize, done: Option<Done>) {
        self.bytes += done.as_ref().map_or(0, |done| done.json.len());
        self.held.insert(place, done);
    }

    /// The next in order, if it is finished. One that was not asked for leaves a gap.
    pub(super) fn next(&mut self) -> Option<Done> {
        while let Some(done) = self.held.remove(&self.next) {
            self.next += 1;
            if let Some(done) = done {
                self.bytes -= done.json.len();
                return Some(done);
            }
        }
        None
    }

    pub(super) fn is_far(&self) -> bool {
        self.held.len() >= MOST || self.bytes >= MOST_BYTES
    }
}

#[cfg(test)]
mod tests {
    use accord_api::Usage;

    use super::super::record::Status;
    use super::*;

    fn done(line: u64, bytes: usize) -> Done {
        let (status, usage) = (Status::Completed, Usage::default());
        Done { line, json: vec![b'x'; bytes], status, kind: None, failure: None, usage, is_earlier: false }
    }

    fn ready(ahead: &mut ReorderBuffer) -> Vec<u64> {
        std::iter::from_fn(|| ahead.next()).map(|done| done.line).collect()
    }

    #[test]
    fn results_are_in_order_regardless_of_completion() {
        let mut ahead = ReorderBuffer::default();
        ahead.add(2, Some(done(3, 1)));
        ahead.add(1, None);
        assert!(ready(&mut ahead).is_empty());
        ahead.add(0, Some(done(1, 1)));
        assert_eq!(ready(&mut ahead), [1, 3]);
        ahead.add(3, Some(done(4, 1)));
        assert_eq!(ready(&mut ahead), [4]);
    }

    #[test]
    fn waiting_results_are_bounded_in_number_and_bytes() {
        let mut ahead = ReorderBuffer::default();
        (1..=MOST).for_each(|place| ahead.add(place, None));
        assert!(ahead.is_far());
        ahead.add(0, None);
        assert!(ready(&mut ahead).is_empty() && !ahead.is_far());
        let place = MOST + 1;
        ahead.add(place + 1, Some(done(2, MOST_BYTES)));
        assert!(ahead.is_far());
        ahead.add(place, Some(done(1, 1)));
        assert_eq!(ready(&mut ahead), [1, 2]);
        assert!(!ahead.is_far());
    }
}
