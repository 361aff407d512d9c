//! Visits every state of the model and every step between two states.

use std::collections::{BTreeSet, HashMap};

use super::world::{Action, Key, Rules, World};
use super::*;

/// A broken invariant, and the steps that lead to it.
#[derive(Debug, PartialEq)]
struct Violation {
    property: &'static str,
    trail: Vec<Action>,
}

#[derive(Debug)]
struct Visited {
    states: usize,
    steps: usize,
    /// The transitions of the table that occurred.
    transitions: BTreeSet<(&'static str, Event, &'static str)>,
}

/// The invariants of one step.
fn broken_by(before: &World, action: Action, after: &World) -> Option<&'static str> {
    let (old, new) = (&before.run, &after.run);
    let is_stale = action.runner().is_some_and(|runner| before.holds != Some(runner));
    let event = action.event(old);
    let completes = new.status == Completed && old.status != Completed;
    let lease_is_held = old.lease.as_ref().is_some_and(|lease| {
        let holder = before.holds.and_then(|runner| before.runners[runner].as_ref());
        holder.is_some_and(|holder| holder.lease_id == lease.id && holder.attempt == old.attempt)
    });
    let is_answer = matches!(action, Action::Answer | Action::Correct);
    let is_same = (old, &before.session) == (new, &after.session);
    [
        (is_stale, "a stale holder changes nothing"),
        (completes && !lease_is_held && action != Action::Correct, "a result comes from the holder"),
        (is_answer && before.opened != Some(old.attempt), "an answer counts for the request that was shown"),
        (completes && before.stopped, "a stopped run never completes"),
        (old.status.is_over() && action != Action::Tick && !is_same, "a finished run never changes"),
        (after.told.iter().any(|told| *told > 1), "a child's end is told once"),
        (
            event.is_some_and(|event| !is_same && after_event(old, event) != Some(new.status)),
            "a change is in the table",
        ),
        (after.session.status.is_busy() == new.status.is_over(), "a session is busy until its run is over"),
    ]
    .into_iter()
    .find_map(|(is_broken, property)| is_broken.then_some(property))
}

fn after_event(run: &Run, event: Event) -> Option<Status> {
    super::after(run.status, event)
}

fn search(rules: Rules) -> Result<Visited, Violation> {
    let start = World::new();
    let mut places: HashMap<Key, usize> = HashMap::from([(start.key(), 0)]);
    let mut worlds = vec![start];
    let mut came_from: Vec<Option<(usize, Action)>> = vec![None];
    let mut own_steps: Vec<(usize, usize)> = Vec::new();
    let mut visited = Visited { states: 0, steps: 0, transitions: BTreeSet::new() };
    let trail = |came_from: &[Option<(usize, Action)>], place: usize, last: Option<Action>| {
        let mut actions: Vec<Action> = last.into_iter().collect();
        let mut place = place;
        while let Some((before, action)) = came_from[place] {
            actions.push(action);
            place = before;
        }
        actions.reverse();
        actions
    };
    let mut place = 0;
    while place < worlds.len() {
        let before = worlds[place].clone();
        if before.can_go_on()
            && before.after(Action::Wake, rules).is_none_or(|woken| woken.run.status != Pending)
        {
            let trail = trail(&came_from, place, None);
            return Err(Violation { property: "a run whose children are done goes on", trail });
        }
        for action in Action::ALL {
            let Some(after) = before.after(action, rules) else { continue };
            visited.steps += 1;
            if let Some(property) = broken_by(&before, action, &after) {
                return Err(Violation { property, trail: trail(&came_from, place, Some(action)) });
            }
            if let Some(event) = action.event(&before.run).filter(|_| before.run != after.run) {
                let (from, to) = (before.run.status.as_str(), after.run.status.as_str());
                visited.transitions.insert((from, event, to));
            }
            let next = *places.entry(after.key()).or_insert_with(|| {
                worlds.push(after);
                came_from.push(Some((place, action)));
                worlds.len() - 1
            });
            if action.is_own() {
                own_steps.push((place, next));
            }
        }
        place += 1;
    }
    visited.states = worlds.len();
    match stuck(&worlds, &own_steps) {
        Some(place) => {
            Err(Violation { property: "every run can end by itself", trail: trail(&came_from, place, None) })
        }
        None => Ok(visited),
    }
}

/// A state from which the run cannot end without an outside action.
fn stuck(worlds: &[World], own_steps: &[(usize, usize)]) -> Option<usize> {
    let mut leading_to: Vec<Vec<usize>> = vec![Vec::new(); worlds.len()];
    for (from, to) in own_steps {
        leading_to[*to].push(*from);
    }
    let mut ends: Vec<bool> = worlds.iter().map(|world| world.run.status.is_over()).collect();
    let mut open: Vec<usize> = (0..worlds.len()).filter(|place| ends[*place]).collect();
    while let Some(place) = open.pop() {
        for from in std::mem::take(&mut leading_to[place]) {
            if !std::mem::replace(&mut ends[from], true) {
                open.push(from);
            }
        }
    }
    ends.iter().position(|ends| !ends)
}

#[test]
fn every_invariant_holds_in_every_state() {
    let visited = search(Rules::Real).unwrap();
    assert!(visited.states > 5_000 && visited.steps > 10_000, "{} states", visited.states);
    let table = TRANSITIONS.iter().map(|(from, by, to)| (from.as_str(), *by, to.as_str()));
    assert_eq!(visited.transitions, table.collect(), "all of the table happens");
}

#[test]
fn broken_rules_are_found() {
    for (rules, property) in [
        (Rules::WakeIgnoresDeliveries, "a child's end is told once"),
        (Rules::SuspendKeepsLease, "a stale holder changes nothing"),
        (Rules::NeverGivesUp, "every run can end by itself"),
        (Rules::StopIsForgotten, "a stopped run never completes"),
        (Rules::AnswerIgnoresRequest, "an answer counts for the request that was shown"),
    ] {
        let violation = search(rules).unwrap_err();
        assert_eq!(violation.property, property, "{violation:?}");
        assert!(!violation.trail.is_empty());
    }
}
