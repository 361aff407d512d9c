//! One meter for everything that is made from input.
//!
//! Whatever reads, compiles, lowers, renders, infers, compares or generates from a schema, a value, a template or a body takes a
//! [`Meter`] and charges it before it does the work. Input is small, but what is made from it need not be: three levels of
//! `minItems: 3` make 27 items. A function without a meter cannot be bounded by its caller, so there is none (`cargo xtask tidy`
//! knows the entry points).
//!
//! Time is not measured here: this crate has no clock. Whoever starts the work gives it a [`Stop`] and sets it when the time is
//! up, when the caller hangs up or when the run is stopped; every charge looks at it.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What one piece of work may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Levels that nest in each other. Everything that walks a value or a schema recurses once a level.
    pub depth: usize,
    /// Elementary steps: schemas visited, pairs compared, candidates tried. About ten nanoseconds each.
    pub steps: u64,
    /// Bytes of text that are made.
    pub bytes: u64,
    /// Values that are made: a value takes about 100 bytes, whatever its text is.
    pub values: u64,
}

impl Limits {
    /// For work on one schema, value or template. Two seconds of work at most, and less than 200 MiB.
    pub const WHOLE: Self =
        Self { depth: 512, steps: 200_000_000, bytes: 64 * 1024 * 1024, values: 1_000_000 };

    /// For what is done at once, on a thread that serves others too: fifty milliseconds.
    pub const BRIEF: Self = Self { steps: 5_000_000, ..Self::WHOLE };
}

/// Asks work to stop at its next charge. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Stops work when it is dropped: when nobody waits for the work any more.
#[derive(Debug, Default)]
pub struct StopOnDrop(pub Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Why work ended before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exceeded {
    Depth(usize),
    Steps(u64),
    Bytes(u64),
    Values(u64),
    /// The time was up, the caller hung up or the run was stopped.
    Stopped,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Depth(limit) => write!(formatter, "it nests deeper than {limit} levels, the limit"),
            Self::Steps(limit) => write!(formatter, "it takes more than {limit} steps, the limit"),
            Self::Bytes(limit) => write!(formatter, "it makes more than {limit} bytes of text, the limit"),
            Self::Values(limit) => write!(formatter, "it has more than {limit} values, the limit"),
            Self::Stopped => {
                formatter.write_str("it was stopped because it took too long or nobody waits for it")
            }
        }
    }
}

impl std::error::Error for Exceeded {}

/// What a piece of work may still cost. Passed by reference through everything that belongs to it, on one thread.
#[derive(Debug)]
pub struct Meter {
    limits: Limits,
    stop: Stop,
    depth: Cell<usize>,
    steps: Cell<u64>,
    bytes: Cell<u64>,
    values: Cell<u64>,
}

impl Meter {
    pub fn new(limits: Limits, stop: Stop) -> Self {
        let zero = || Cell::new(0);
        Self { limits, stop, depth: Cell::new(0), steps: zero(), bytes: zero(), values: zero() }
    }

    pub fn steps(&self, count: u64) -> Result<(), Exceeded> {
        self.charge(&self.steps, count, self.limits.steps, Exceeded::Steps)
    }

    pub fn bytes(&self, count: usize) -> Result<(), Exceeded> {
        self.charge(&self.bytes, count as u64, self.limits.bytes, Exceeded::Bytes)
    }

    pub fn values(&self, count: u64) -> Result<(), Exceeded> {
        self.charge(&self.values, count, self.limits.values, Exceeded::Values)
    }

    /// A meter for a part of the work that has smaller limits of its own and the same stop. What it may cost is charged here
    /// beforehand, so the part cannot exceed what is left.
    pub fn part(&self, limits: Limits) -> Result<Self, Exceeded> {
        self.steps(limits.steps)?;
        self.bytes(usize::try_from(limits.bytes).unwrap_or(usize::MAX))?;
        self.values(limits.values)?;
        Ok(Self::new(limits, self.stop.clone()))
    }

    /// A meter with the same limits and the same stop that nothing was charged to: for the next one of many documents, nodes or
    /// answers, each of which may cost as much.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self::new(self.limits, self.stop.clone())
    }

    /// Goes down a level, until the returned guard is dropped.
    pub fn enter(&self) -> Result<Level<'_>, Exceeded> {
        self.check_stop()?;
        let depth = self.depth.get();
        if depth >= self.limits.depth {
            return Err(Exceeded::Depth(self.limits.depth));
        }
        self.depth.set(depth + 1);
        Ok(Level(&self.depth))
    }

    pub fn check_stop(&self) -> Result<(), Exceeded> {
        if self.stop.is_set() { Err(Exceeded::Stopped) } else { Ok(()) }
    }

    /// Whether the work is within its limits. What was refused once stays refused, so a loop that cannot return an error ends
    /// early, and whoever called it asks here.
    pub fn check(&self) -> Result<(), Exceeded> {
        self.steps(0)?;
        self.bytes(0)?;
        self.values(0)
    }

    /// How many steps may still be taken.
    pub fn steps_left(&self) -> u64 {
        self.limits.steps.saturating_sub(self.steps.get())
    }

    /// What asks this work to stop, for parts of it on another thread.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// What was charged so far.
    pub fn spent(&self) -> Limits {
        let (steps, bytes, values) = (self.steps.get(), self.bytes.get(), self.values.get());
        Limits { depth: self.depth.get(), steps, bytes, values }
    }

    fn charge(
        &self,
        spent: &Cell<u64>,
        count: u64,
        limit: u64,
        exceeded: fn(u64) -> Exceeded,
    ) -> Result<(), Exceeded> {
        self.check_stop()?;
        let total = spent.get().saturating_add(count);
        // Also when it is refused: work that goes on regardless is refused again.
        spent.set(total);
        if total > limit { Err(exceeded(limit)) } else { Ok(()) }
    }
}

/// One level of nesting.
#[derive(Debug)]
#[must_use = "the level ends when this is dropped"]
pub struct Level<'a>(&'a Cell<usize>);

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

/// Without a time limit, for tests and for what is compiled in. `cargo xtask tidy` refuses it elsewhere.
impl Default for Meter {
    fn default() -> Self {
        Self::new(Limits::WHOLE, Stop::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Limits = Limits { depth: 2, steps: 3, bytes: 3, values: 3 };

    #[test]
    fn every_kind_of_cost_has_its_limit() {
        let meter = Meter::new(SMALL, Stop::default());
        assert_eq!((meter.steps(3), meter.steps(1)), (Ok(()), Err(Exceeded::Steps(3))));
        assert_eq!((meter.bytes(3), meter.bytes(1)), (Ok(()), Err(Exceeded::Bytes(3))));
        assert_eq!((meter.values(4), meter.values(0)), (Err(Exceeded::Values(3)), Err(Exceeded::Values(3))));
    }

    #[test]
    fn what_was_refused_stays_refused() {
        let meter = Meter::new(SMALL, Stop::default());
        assert_eq!(meter.check(), Ok(()));
        assert!(meter.bytes(4).is_err());
        assert_eq!(meter.check(), Err(Exceeded::Bytes(3)));
    }

    #[test]
    fn a_part_is_charged_beforehand_and_stops_with_the_whole() {
        let stop = Stop::default();
        let meter = Meter::new(SMALL, stop.clone());
        let limits = Limits { depth: 1, steps: 2, bytes: 0, values: 0 };
        let part = meter.part(limits).unwrap();
        assert_eq!(meter.part(limits).unwrap_err(), Exceeded::Steps(3));
        assert_eq!((part.steps(2), part.steps(1)), (Ok(()), Err(Exceeded::Steps(2))));
        stop.set();
        assert_eq!(part.check(), Err(Exceeded::Stopped));
    }

    #[test]
    fn a_level_ends_with_its_guard() {
        let meter = Meter::new(SMALL, Stop::default());
        let first = meter.enter().unwrap();
        {
            let _second = meter.enter().unwrap();
            assert_eq!(meter.enter().unwrap_err(), Exceeded::Depth(2));
        }
        assert!(meter.enter().is_ok());
        drop(first);
        assert_eq!(meter.spent().depth, 0);
    }

    #[test]
    fn stopped_work_is_charged_nothing_more() {
        let stop = Stop::default();
        let meter = Meter::new(SMALL, stop.clone());
        stop.set();
        assert_eq!(meter.steps(0), Err(Exceeded::Stopped));
        assert_eq!(meter.enter().unwrap_err(), Exceeded::Stopped);
    }
}
