//! The queue of states, the bounds, and the choice among complete readings.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use serde_json::Value;

use super::build::{self, Built, Certainty};
use super::state::{Container, Event, EventKind, Frame, Mode, NONE, Previous, State};
use crate::account::{Span, SpanKind};
use crate::lex::{Blank, Lex};
use crate::limits::MAX_DEPTH;
use crate::number;
use crate::repair::{Repair, RepairKind};

/// How many times each byte of a text may be looked at, on average. A few readings of each stretch are real; more is a text
/// that was made to be expensive.
const LOOKS_PER_BYTE: usize = 64;

/// The minimum budget of a short text.
const LOOKS_AT_LEAST: usize = 256 * 1024;

/// Steps of the search beyond one per byte. A token takes two or three.
const STEPS_AT_LEAST: usize = 16 * 1024;

/// How many states may wait. Beyond it the text is too damaged to be read with confidence.
const MAX_WAITING: usize = 16 * 1024;

/// How many complete readings are offered to the contract. Conforming ones come early or not at all.
const MAX_OFFERS: usize = 64;

/// What the contract makes of a reading: the conforming value with what else had to be changed in it.
pub(crate) struct Offer {
    pub(crate) value: Value,
    pub(crate) repairs: Vec<Repair>,
}

/// Says what the contract makes of a reading that ends at a byte.
pub(crate) type Conform<'a> = dyn FnMut(&Built, usize) -> Option<Offer> + 'a;

/// The result of reading a damaged text.
#[derive(Debug)]
pub(crate) enum Reading {
    /// The cheapest conforming reading.
    Conforming { value: Value, read: Value, repairs: Vec<Repair>, spans: Vec<Span>, range: Range<usize> },
    /// Two readings of about the same cost conform and differ.
    Ambiguous { first: Value, second: Value },
    /// It can be read, and no reading conforms. The cheapest is given.
    Readable { built: Built, range: Range<usize> },
    /// It cannot be read as a value at all.
    Nothing,
}

/// The search over one text. It can be started at several places; they share its bounds.
pub(crate) struct Search<'a> {
    pub(super) lex: Lex<'a>,
    pub(super) frames: Vec<Frame>,
    pub(super) events: Vec<Event>,
    /// Whether the strings of this value are in doubled quotes.
    pub(super) doubled: bool,
    queue: BinaryHeap<Queued>,
    looks: usize,
    steps: usize,
}

impl<'a> Search<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            lex: Lex { text },
            frames: Vec::new(),
            events: Vec::new(),
            doubled: false,
            queue: BinaryHeap::new(),
            looks: text.len().saturating_mul(LOOKS_PER_BYTE).saturating_add(LOOKS_AT_LEAST),
            steps: text.len().saturating_add(STEPS_AT_LEAST),
        }
    }

    /// Reads the value that begins at a byte and ends before `limit`.
    pub(crate) fn read(&mut self, start: usize, limit: usize, conform: &mut Conform<'_>) -> Reading {
        let whole = self.lex;
        self.lex = Lex { text: whole.text.get(..limit).unwrap_or(whole.text) };
        let reading = self.search(start, conform);
        self.lex = whole;
        reading
    }

    fn search(&mut self, start: usize, conform: &mut Conform<'_>) -> Reading {
        self.frames.clear();
        self.events.clear();
        self.queue.clear();
        self.doubled = self.is_doubled(start);
        let mut choice = Choice { start, best: None, readable: None, offers: 0 };
        self.queue.push(Queued(State {
            cost: 0,
            at: start,
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
                if state.mode == Mode::Done {
                    if let Some(ambiguous) = self.offer(state, &mut choice, conform) {
                        return ambiguous;
                    }
                    break;
                }
                out.clear();
                self.step(state, &mut out);
                let cheapest = (0..out.len())
                    .min_by_key(|index| out.get(*index).map_or(u32::MAX, |next: &State| next.cost));
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

    /// Whether the first key is in doubled quotes, as in `{""name"": …`.
    fn is_doubled(&self, start: usize) -> bool {
        let brackets = self.lex.text.get(start..).unwrap_or_default();
        let length = brackets.len() - brackets.trim_start_matches(['{', '[', ' ', '\n', '\t', '\r']).len();
        self.lex.doubled_quote(start + length).is_some() && self.lex.key_end(start + length).is_some()
    }

    fn offer(&mut self, state: State, choice: &mut Choice, conform: &mut Conform<'_>) -> Option<Reading> {
        choice.offers += 1;
        if choice.offers > MAX_OFFERS {
            self.steps = 0;
            return None;
        }
        let range = choice.start..state.at;
        let built = build::build(self.lex, &self.events, state.event, range.clone())?;
        self.spend(self.lex.text.len() - choice.start);
        let Some(offer) = conform(&built, state.at) else {
            if choice.readable.is_none() {
                choice.readable = Some((built, range));
            }
            return None;
        };
        match &choice.best {
            None => {
                let certainty = built.certainty;
                let repairs = built.repairs.into_iter().chain(offer.repairs).collect();
                choice.best = Some(Best {
                    cost: state.cost,
                    certainty,
                    value: offer.value,
                    read: built.value,
                    spans: built.spans,
                    repairs,
                    range,
                });
                None
            }
            Some(best) if number::same(&best.value, &offer.value) => None,
            Some(best) => Some(Reading::Ambiguous { first: best.value.clone(), second: offer.value }),
        }
    }

    /// Skips space and comments. A comment without an end is looked for through the rest of the text.
    pub(super) fn blank(&mut self, at: usize) -> Blank {
        let blank = self.lex.blank(at);
        let unclosed = if self.lex.starts(blank.end, "/*") { self.lex.text.len() - blank.end } else { 0 };
        self.spend(blank.end - at + unclosed);
        blank
    }

    pub(super) fn spend(&mut self, looks: usize) -> bool {
        self.looks = self.looks.saturating_sub(looks);
        self.looks > 0
    }

    pub(super) fn frame(&self, index: u32) -> Option<Frame> {
        self.frames.get(index as usize).copied()
    }

    pub(super) fn container(&self, state: State) -> Option<Container> {
        self.frame(state.frame).map(|frame| frame.container)
    }

    pub(super) fn event(&mut self, state: State, kind: EventKind) -> State {
        let event = self.events.len() as u32;
        self.events.push(Event { before: state.event, kind });
        State { event, ..state }
    }

    /// Consumes a separator or what a repair takes, and continues after it.
    pub(super) fn mark(&mut self, state: State, length: usize, kind: SpanKind) -> State {
        let (start, end) = (state.at as u32, (state.at + length) as u32);
        let marked = self.event(state, EventKind::Mark { start, end, kind });
        State { at: state.at + length, ..marked }
    }

    pub(super) fn repaired(&mut self, state: State, length: usize, kind: RepairKind, price: u32) -> State {
        let marked = self.mark(state, length, SpanKind::Repair(kind));
        State { cost: marked.cost + price, ..marked }
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
        let opened = self.event(state, EventKind::Open(container, state.at as u32));
        Some(State { at: state.at + 1, frame, mode, previous: Previous::Nothing, ..opened })
    }

    /// Closes the innermost container with this many bytes of the text.
    pub(super) fn close(&mut self, state: State, length: usize, repair: bool) -> State {
        let (start, end) = (state.at as u32, (state.at + length) as u32);
        self.closed(state, EventKind::Close { start, end, repair }, length)
    }

    pub(super) fn closed(&mut self, state: State, kind: EventKind, length: usize) -> State {
        let parent = self.frame(state.frame).map_or(NONE, |frame| frame.parent);
        let closed = self.event(state, kind);
        let mode = if parent == NONE { Mode::Done } else { Mode::After };
        State { at: state.at + length, frame: parent, mode, previous: Previous::Container, ..closed }
    }
}

/// The complete readings so far.
struct Choice {
    start: usize,
    best: Option<Best>,
    readable: Option<(Built, Range<usize>)>,
    offers: usize,
}

struct Best {
    cost: u32,
    certainty: Certainty,
    value: Value,
    read: Value,
    spans: Vec<Span>,
    repairs: Vec<Repair>,
    range: Range<usize>,
}

impl Choice {
    /// Whether nothing that is still to come can matter.
    fn is_settled(&self, cost: u32) -> bool {
        self.best.as_ref().is_some_and(|best| cost > best.cost + best.certainty.margin())
    }

    fn finish(self) -> Reading {
        match (self.best, self.readable) {
            (Some(Best { value, read, repairs, spans, range, .. }), _) => {
                Reading::Conforming { value, read, repairs, spans, range }
            }
            (None, Some((built, range))) => Reading::Readable { built, range },
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
