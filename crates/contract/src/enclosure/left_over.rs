//! Brackets that close more than a text opens.

use std::cell::OnceCell;
use std::ops::Range;

/// Tells for each place of a text whether more brackets close from there on than open. Worked out when it is first asked.
pub(crate) struct LeftOver<'a> {
    bytes: &'a [u8],
    /// What is whole: the brackets in it come in pairs, but for those in its strings. In order.
    whole: Vec<Range<usize>>,
    known: OnceCell<Vec<bool>>,
}

impl<'a> LeftOver<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self::outside(bytes, Vec::new())
    }

    /// Without the brackets of some values, which are given in order.
    pub(super) fn outside(bytes: &'a [u8], whole: Vec<Range<usize>>) -> Self {
        Self { bytes, whole, known: OnceCell::new() }
    }

    /// Whether a bracket closes behind a place that was open before it.
    pub(crate) fn behind(&self, at: usize) -> bool {
        self.known.get_or_init(|| self.work_out()).get(at) == Some(&true)
    }

    fn work_out(&self) -> Vec<bool> {
        let mut closers = 0_usize;
        let mut left_over: Vec<bool> = Vec::with_capacity(self.bytes.len());
        let mut whole = self.whole.iter().rev().peekable();
        for (at, byte) in self.bytes.iter().enumerate().rev() {
            while whole.next_if(|range| range.start > at).is_some() {}
            match byte {
                _ if whole.peek().is_some_and(|range| range.contains(&at)) => {}
                b'}' | b']' => closers += 1,
                b'{' | b'[' => closers = closers.saturating_sub(1),
                _ => {}
            }
            left_over.push(closers > 0);
        }
        left_over.reverse();
        left_over
    }
}
