//! The queue of states, the bounds, and the choice among complete readings.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::ops::Range;

use serde_json::Value;

use super::build::{self, Built};
use super::look::Look;
use super::token::{Container, Event, Frame, Mode, NONE, Previous, State, What};
use crate::enclosure::LeftOver;
use crate::limits::MAX_DEPTH;
use crate::number;
use crate::verdict::{Repair, RepairKind};

/// How many times each byte of a text may be looked at, on average. A few readings of each stretch are real;
/// more is a text that was made to be expensive.
const LOOKS_PER_BYTE: usize = 64;

/// What a short text may cost beyond that.
const LOOKS_AT_LEAST: usize = 64 * 1024;

/// Steps of the search per byte. A token takes two or three.
const STEPS_AT_LEAST: usize = 4 * 1024;

/// How many states may wait. Beyond it the text is too damaged to be read with confidence.
const MAX_WAITING: usize = 16 * 1024;

/// How many complete readings are offered to the contract. Conforming ones come early or not at all.
const MAX_OFFERS: usize = 64;

/// How much dearer a reading may be and still be a rival. Costs are estimates; within this distance the
/// cheaper reading is not the surer one.
const MARGIN: u32 = 1;

/// What the contract makes of a reading: the conforming value with what else had to be changed in it.
pub(crate) struct Offer {
    pub(crate) value: Value,
    pub(crate) repairs: Vec<Repair>,
}

/// How much is known of what was around the parts of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// It was cut off, and may have had more members.
    Cut,
    /// Brackets were missing, so that a member could stand in more than one object.
    Guessed,
}

impl Extent {
    fn of(repairs: &[Repair]) -> Self {
        let has = |kind| repairs.iter().any(|repair| repair.kind == kind);
        match (has(RepairKind::Bracket), has(RepairKind::Truncated)) {
            (true, _) => Self::Guessed,
            (false, true) => Self::Cut,
            (false, false) => Self::Whole,
        }
    }
}

/// Says what the contract makes of a reading, and of one whose brackets had to be guessed.
pub(crate) type Conform<'a> = dyn FnMut(&Value, bool) -> Option<Offer> + 'a;

/// The result of reading a damaged text.
#[derive(Debug)]
pub(crate) enum Reading {
    /// The cheapest conforming reading, with where it ends.
    Conforming { value: Value, repairs: Vec<Repair>, range: Range<usize> },
    /// Two equally cheap readings conform and differ.
    Ambiguous { first: Value, second: Value },
    /// It can be read, and no reading conforms. The cheapest is given.
    Readable { value: Value, range: Range<usize>, extent: Extent },
    /// It cannot be read as a value at all.
    Nothing,
}

/// Where a reading begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) at: usize,
    /// Whether the reading must take the rest of the text.
    pub(crate) to_the_end: bool,
}

/// The search over one text. It can be started at several places; they share its bounds.
pub(crate) struct Search<'a> {
    pub(super) look: Look<'a>,
    pub(super) frames: Vec<Frame>,
    pub(super) events: Vec<Event>,
    pub(super) left_over: LeftOver<'a>,
    queue: BinaryHeap<Queued>,
    looks: usize,
    steps: usize,
}

impl<'a> Search<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            look: Look::new(text),
            frames: Vec::new(),
            events: Vec::new(),
            left_over: LeftOver::new(text.as_bytes()),
            queue: BinaryHeap::new(),
            looks: text.len().saturating_mul(LOOKS_PER_BYTE).saturating_add(LOOKS_AT_LEAST),
            steps: text.len().saturating_add(STEPS_AT_LEAST),
        }
    }

    /// Reads the value that begins at a place. `conform` says what the contract makes of a reading.
    pub(crate) fn read(&mut self, start: Start, conform: &mut Conform<'_>) -> Reading {
        self.frames.clear();
        self.events.clear();
        self.queue.clear();
        let mut choice = Choice { start, best: None, readable: None, doubtful: false, offers: 0 };
        self.queue.push(Queued(State {
            cost: 0,
            at: start.at,
            mode: Mode::Value { first: false },
            frame: NONE,
            event: NONE,
            previous: Previous::Nothing,
        }));
        let mut out = Vec::new();
        while let Some(Queued(mut state)) = self.queue.pop() {
            if choice.is_settled(state.cost) {
                break;
            }
            // The cheapest way on is taken at once; only the others wait.
            while self.steps > 0 && self.looks > 0 {
                self.steps -= 1;
                if state.mode == Mode::Complete {
                    if let Some(reading) = self.offer(state, &mut choice, conform) {
                        return reading;
                    }
                    break;
                }
                out.clear();
                self.step(state, &mut out);
                let cheapest =
                    (0..out.len()).min_by_key(|index| out.get(*index).map_or(u32::MAX, |next| next.cost));
                let Some(cheapest) = cheapest else { break };
                let next = out.swap_remove(cheapest);
                out.drain(..).for_each(|other| self.queue.push(Queued(other)));
                if next.cost > state.cost {
                    self.queue.push(Queued(next));
                    break;
                }
                state = next;
            }
            if self.steps == 0 || self.looks == 0 || self.queue.len() > MAX_WAITING {
                // Out of bounds: what was found may not be the cheapest, or not the only one.
                choice.best = None;
                break;
            }
        }
        choice.finish()
    }

    fn offer(&mut self, state: State, choice: &mut Choice, conform: &mut Conform<'_>) -> Option<Reading> {
        let range = choice.start.at..state.at;
        let rest = self.look.text.get(state.at..).unwrap_or_default();
        if choice.start.to_the_end && !rest.trim().is_empty() {
            return None;
        }
        choice.offers += 1;
        if choice.offers > MAX_OFFERS {
            self.steps = 0;
            return None;
        }
        let (built, offer) = self.conforming(state.event, conform)?;
        let offer =
            offer.filter(|offer| !reads_twice(&built.repairs, offer) && !wraps_loose(&built.repairs, offer));
        let Some(offer) = offer else {
            // What may be meant otherwise is nothing to go by, and neither is a dearer reading in its place.
            choice.doubtful |= built.doubtful && choice.readable.is_none();
            if choice.readable.is_none() && !choice.doubtful {
                let extent = Extent::of(&built.repairs);
                choice.readable = Some((built.value, range, extent));
            }
            return None;
        };
        match &choice.best {
            None if built.doubtful => Some(Reading::Nothing),
            None => {
                let repairs = built.repairs.into_iter().chain(offer.repairs).collect();
                choice.best = Some(Best { cost: state.cost, value: offer.value, repairs, range });
                None
            }
            Some(best) if number::same(&best.value, &offer.value) => None,
            Some(best) => Some(Reading::Ambiguous { first: best.value.clone(), second: offer.value }),
        }
    }

    /// A reading as a value, and what the contract makes of it. A number in another notation is a string, as it
    /// is written, where the contract asks for one.
    fn conforming(&self, last: u32, conform: &mut Conform<'_>) -> Option<(Built, Option<Offer>)> {
        let build = |strings: &HashSet<String>| build::build(self.look.text, &self.events, last, strings);
        let built = build(&HashSet::new())?;
        let offer = conform(&built.value, built.guessed);
        let strings = built.strings_in(offer.as_ref().map(|offer| &offer.value));
        if strings.is_empty() {
            return Some((built, offer));
        }
        let written = build(&strings).and_then(|written| {
            let offer = conform(&written.value, written.guessed)?;
            written.strings_in(Some(&offer.value)).is_empty().then_some((written, Some(offer)))
        });
        Some(written.unwrap_or((built, None)))
    }

    pub(super) fn spend(&mut self, looks: usize) -> bool {
        self.looks = self.looks.saturating_sub(looks);
        self.looks > 0
    }

    pub(super) fn frame(&self, index: u32) -> Option<Frame> {
        self.frames.get(index as usize).copied()
    }

    pub(super) fn event(&mut self, state: State, what: What) -> State {
        let event = self.events.len() as u32;
        self.events.push(Event { before: state.event, what });
        State { event, ..state }
    }

    pub(super) fn note(&mut self, state: State, kind: RepairKind, at: usize) -> State {
        self.event(state, What::Repair(kind, at as u32))
    }

    /// Goes on at a place as if what stands before it were not there.
    pub(super) fn skip_to(&mut self, to: usize, state: State, kind: RepairKind, price: u32) -> State {
        let noted = self.note(state, kind, state.at);
        State { at: to, cost: state.cost + price, ..noted }
    }

    pub(super) fn open(&mut self, state: State, container: Container) -> Option<State> {
        let depth = self.frame(state.frame).map_or(0, |frame| frame.depth) + 1;
        if depth as usize > MAX_DEPTH {
            return None;
        }
        let frame = self.frames.len() as u32;
        self.frames.push(Frame { container, parent: state.frame, depth });
        let mode = match container {
            Container::Object => Mode::Key { first: true },
            _ => Mode::Value { first: true },
        };
        let opened = self.event(state, What::Open(container));
        Some(State { frame, mode, previous: Previous::Nothing, ..opened })
    }

    pub(super) fn close(&mut self, state: State) -> State {
        let parent = self.frame(state.frame).map_or(NONE, |frame| frame.parent);
        let closed = self.event(state, What::Close);
        let mode = if parent == NONE { Mode::Done } else { Mode::After };
        State { frame: parent, mode, previous: Previous::Container, ..closed }
    }
}

/// JSON in a string whose own quotes were not escaped: its other escapes cannot be told from the string's.
fn reads_twice(made: &[Repair], offer: &Offer) -> bool {
    made.iter().any(|repair| repair.kind == RepairKind::InnerQuote)
        && offer.repairs.iter().any(|repair| repair.kind == RepairKind::Unstringified)
}

/// A list made of an item where brackets are too few or too many: those of that list may be among them.
fn wraps_loose(made: &[Repair], offer: &Offer) -> bool {
    made.iter().any(|repair| matches!(repair.kind, RepairKind::Bracket | RepairKind::StrayText))
        && offer
            .repairs
            .iter()
            .any(|repair| repair.kind == RepairKind::WrappedInList && repair.path.ends_with(']'))
}

/// The complete readings so far.
struct Choice {
    start: Start,
    best: Option<Best>,
    readable: Option<(Value, Range<usize>, Extent)>,
    /// The cheapest reading may be meant otherwise.
    doubtful: bool,
    offers: usize,
}

struct Best {
    cost: u32,
    value: Value,
    repairs: Vec<Repair>,
    range: Range<usize>,
}

impl Choice {
    /// Whether nothing that is still to come can matter.
    fn is_settled(&self, cost: u32) -> bool {
        self.best.as_ref().is_some_and(|best| cost > best.cost + MARGIN)
    }

    fn finish(self) -> Reading {
        match (self.best, self.readable) {
            (Some(best), _) => {
                Reading::Conforming { value: best.value, repairs: best.repairs, range: best.range }
            }
            (None, Some((value, range, extent))) => Reading::Readable { value, range, extent },
            (None, None) => Reading::Nothing,
        }
    }
}

/// Cheapest first; among equals the one that has read furthest.
struct Queued(State);

impl Queued {
    fn rank(&self) -> (Reverse<u32>, usize) {
        (Reverse(self.0.cost), self.0.at)
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}
