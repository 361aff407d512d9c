//! Decides what to do after an attempt: one table, as a pure function.
//!
//! Prompts, names of models and schemas do not appear here. The caller knows them; this module only
//! has what the decision depends on.

use super::offers::Rung;

/// The outcome of an attempt, reduced to what the next step depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// The answer keeps the contract.
    Accepted,
    /// It does not. `repeated`: with the same text or the same errors as the one before.
    Nonconforming {
        repeated: bool,
    },
    /// Its value is in prose and has to be confirmed.
    Unconfirmed,
    /// It repeats the schema, a placeholder or an example.
    Echoed {
        repeated: bool,
    },
    /// The model ended in prose that does not keep the contract, instead of calling the submit tool. `calls_tools`: it was
    /// seen to call tools, in this run or before.
    NotSubmitted {
        repeated: bool,
        calls_tools: bool,
    },
    /// It does not, and children of the run have to report back first. The caller handles it.
    Waiting,
    /// The provider cut it off.
    Truncated,
    Refused,
    /// The provider refused the schema, the tool, or the demand to call it.
    Rejected,
    /// The provider failed on the first turn with a raised ceiling.
    CeilingRefused,
    /// The provider failed, for good or for longer than it is asked again.
    ProviderFailed,
    /// There was no answer, for a reason that no other model fixes either.
    Unanswered,
}

/// The state of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Situation {
    pub(super) retries_left: u32,
    /// Whether the session can be asked again in place.
    pub(super) reprompt: bool,
    pub(super) rung: Rung,
    /// The next rung down, if the strategy leaves one.
    pub(super) lower: Option<Rung>,
    /// How many stronger models there are to go to.
    pub(super) stronger_left: u32,
    /// Whether the last turn demanded the call of the submit tool.
    pub(super) forced: bool,
    /// Whether a call can be demanded at all.
    pub(super) can_force: bool,
    /// The next higher token limit of an answer, if one is known and allowed.
    pub(super) higher_ceiling: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Accept,
    Ask(Next),
    Fail(Cause),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) say: Say,
    pub(super) rung: Rung,
    /// With the next stronger model.
    pub(super) stronger: bool,
    /// Demanding the call of the submit tool.
    pub(super) force: bool,
    pub(super) ceiling: Ceiling,
    /// Whether this is one of the contract's retries.
    pub(super) counted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Say {
    /// The errors of the answer.
    Errors,
    /// To continue where the answer was cut off.
    Continue,
    /// The same as before, put in the words of the rung.
    Same,
    /// The task, as if it had not been asked before and without the schema.
    Anew,
}

/// How long the answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ceiling {
    /// As before.
    Keep,
    /// Longer.
    Raise(u32),
    /// As it was before it was raised, and never higher again.
    Restore,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The contract was not met and no retries are left.
    Contract,
    /// The contract was not met and the model repeats itself.
    NoProgress,
    Refused,
    /// The provider refuses the strategy that was asked for.
    Rejected,
    Unanswered,
}

pub(super) fn next_step(situation: &Situation, seen: Seen) -> Step {
    let may_retry = situation.reprompt && situation.retries_left > 0;
    match seen {
        Seen::Accepted | Seen::Waiting => Step::Accept,
        Seen::Refused => another_model(situation, Say::Anew, Cause::Refused),
        Seen::ProviderFailed => another_model(situation, Say::Same, Cause::Unanswered),
        Seen::Unanswered => Step::Fail(Cause::Unanswered),
        Seen::Rejected => rejected(situation),
        Seen::CeilingRefused => {
            Step::Ask(Next { ceiling: Ceiling::Restore, counted: false, ..again(situation, Say::Same) })
        }
        Seen::Nonconforming { .. }
        | Seen::Echoed { .. }
        | Seen::Unconfirmed
        | Seen::NotSubmitted { .. }
        | Seen::Truncated
            if !may_retry =>
        {
            Step::Fail(Cause::Contract)
        }
        // Only the model that said it knows what it meant.
        Seen::Unconfirmed => Step::Ask(again(situation, Say::Errors)),
        Seen::Truncated => Step::Ask(truncated(situation)),
        // A conversation with an echo leads to the next echo, so the task is asked in a fresh one.
        Seen::Echoed { .. } if situation.rung != Rung::Tool => {
            Step::Ask(Next { say: Say::Anew, ..last_by_the_stronger(situation) })
        }
        Seen::Nonconforming { repeated: true } | Seen::Echoed { repeated: true } => repeated(situation),
        Seen::Nonconforming { repeated: false } | Seen::Echoed { repeated: false } => {
            Step::Ask(last_by_the_stronger(situation))
        }
        // A server that drops tools does so with any prompt, and also if the caller asked for the strategy.
        Seen::NotSubmitted { calls_tools: false, .. } => {
            let anew = Next { say: Say::Anew, rung: Rung::Prompt, ..again(situation, Say::Errors) };
            let stronger = last_by_the_stronger(situation).stronger;
            Step::Ask(Next { stronger, ..anew })
        }
        Seen::NotSubmitted { repeated, .. } => not_submitted(situation, repeated),
    }
}

/// The same session, rung and model.
fn again(situation: &Situation, say: Say) -> Next {
    let rung = situation.rung;
    Next { say, rung, stronger: false, force: false, ceiling: Ceiling::Keep, counted: true }
}

/// A model that refuses, or whose provider fails, is not asked again. That is not one of the contract's retries: the number of
/// fallback models bounds it.
fn another_model(situation: &Situation, say: Say, cause: Cause) -> Step {
    match situation.reprompt && situation.stronger_left > 0 {
        true => Step::Ask(Next { stronger: true, counted: false, ..again(situation, say) }),
        false => Step::Fail(cause),
    }
}

/// The last retries go to the fallback models, one each, so that every model was used when the retries are used up.
fn last_by_the_stronger(situation: &Situation) -> Next {
    let stronger = situation.stronger_left > 0 && situation.retries_left <= situation.stronger_left;
    Next { stronger, ..again(situation, Say::Errors) }
}

/// A rejected tool choice is omitted from then on; otherwise the next strategy is used. Neither
/// counts against the model.
fn rejected(situation: &Situation) -> Step {
    let same = Next { counted: false, ..again(situation, Say::Same) };
    match situation.lower {
        _ if situation.forced => Step::Ask(same),
        Some(rung) => Step::Ask(Next { rung, ..same }),
        None => another_model(situation, Say::Same, Cause::Rejected),
    }
}

/// Never the same again: more room, or only the rest. Where the provider holds the answer to a schema it cannot begin in
/// the middle, so there the errors ask for a shorter one; and so they do of a stronger model, which did not begin it.
fn truncated(situation: &Situation) -> Next {
    let whole = last_by_the_stronger(situation);
    match (situation.higher_ceiling, situation.rung) {
        (Some(tokens), _) => Next { ceiling: Ceiling::Raise(tokens), ..whole },
        (None, Rung::Prompt) if !whole.stronger => Next { say: Say::Continue, ..whole },
        (None, _) => whole,
    }
}

/// Asking the same in the same way gives the same: a stronger model, another rung, or the end.
fn repeated(situation: &Situation) -> Step {
    let errors = again(situation, Say::Errors);
    match situation.lower {
        _ if situation.stronger_left > 0 => Step::Ask(Next { stronger: true, ..errors }),
        Some(rung) => Step::Ask(Next { rung, ..errors }),
        None => Step::Fail(Cause::NoProgress),
    }
}

/// A nudge; the last one, or one after a nudge that was of no use, demands the call where that can be done.
fn not_submitted(situation: &Situation, is_repeated: bool) -> Step {
    let can_force = situation.can_force && !situation.forced;
    if can_force && (is_repeated || situation.retries_left == 1) {
        return Step::Ask(Next { force: true, ..last_by_the_stronger(situation) });
    }
    if is_repeated { repeated(situation) } else { Step::Ask(last_by_the_stronger(situation)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITUATION: Situation = Situation {
        retries_left: 2,
        reprompt: true,
        rung: Rung::Native,
        lower: Some(Rung::Tool),
        stronger_left: 0,
        forced: false,
        can_force: true,
        higher_ceiling: Some(8192),
    };
    const NEXT: Next = Next {
        say: Say::Errors,
        rung: Rung::Native,
        stronger: false,
        force: false,
        ceiling: Ceiling::Keep,
        counted: true,
    };
    const NONCONFORMING: Seen = Seen::Nonconforming { repeated: false };
    const REPEATED: Seen = Seen::Nonconforming { repeated: true };
    const PROSE: Seen = Seen::NotSubmitted { repeated: false, calls_tools: true };
    const PROSE_AGAIN: Seen = Seen::NotSubmitted { repeated: true, calls_tools: true };

    #[test]
    fn steps_that_end_at_once() {
        for retries_left in [0, 2] {
            let situation = Situation { retries_left, ..SITUATION };
            assert_eq!(next_step(&situation, Seen::Accepted), Step::Accept);
            assert_eq!(next_step(&situation, Seen::Refused), Step::Fail(Cause::Refused));
            assert_eq!(next_step(&situation, Seen::ProviderFailed), Step::Fail(Cause::Unanswered));
            assert_eq!(next_step(&situation, Seen::Unanswered), Step::Fail(Cause::Unanswered));
        }
    }

    #[test]
    fn a_refusal_or_a_failure_uses_the_next_model_without_a_retry() {
        for retries_left in [0, 2] {
            let situation = Situation { retries_left, stronger_left: 1, lower: None, ..SITUATION };
            let next = |say| Step::Ask(Next { say, stronger: true, counted: false, ..NEXT });
            assert_eq!(next_step(&situation, Seen::Refused), next(Say::Anew));
            assert_eq!(next_step(&situation, Seen::ProviderFailed), next(Say::Same));
            assert_eq!(next_step(&situation, Seen::Rejected), next(Say::Same));
            assert_eq!(next_step(&situation, Seen::Unanswered), Step::Fail(Cause::Unanswered));
            let deaf = Situation { reprompt: false, ..situation };
            assert_eq!(next_step(&deaf, Seen::Refused), Step::Fail(Cause::Refused));
            assert_eq!(next_step(&deaf, Seen::ProviderFailed), Step::Fail(Cause::Unanswered));
        }
    }

    #[test]
    fn without_retries_an_invalid_answer_ends_the_run() {
        let spent = Situation { retries_left: 0, stronger_left: 1, ..SITUATION };
        let deaf = Situation { reprompt: false, stronger_left: 1, ..SITUATION };
        for seen in [NONCONFORMING, REPEATED, PROSE, PROSE_AGAIN, Seen::Unconfirmed, Seen::Truncated] {
            assert_eq!(next_step(&spent, seen), Step::Fail(Cause::Contract), "{seen:?}");
            assert_eq!(next_step(&deaf, seen), Step::Fail(Cause::Contract), "{seen:?}");
        }
    }

    #[test]
    fn an_invalid_answer_is_re_prompted_and_finally_with_fallback_models() {
        assert_eq!(next_step(&SITUATION, NONCONFORMING), Step::Ask(NEXT));
        let last = Situation { retries_left: 1, ..SITUATION };
        assert_eq!(next_step(&last, NONCONFORMING), Step::Ask(NEXT));
        for (retries_left, stronger_left, stronger) in
            [(2, 1, false), (1, 1, true), (3, 2, false), (2, 2, true), (1, 2, true)]
        {
            let situation = Situation { retries_left, stronger_left, ..SITUATION };
            let next = Next { stronger, ..NEXT };
            assert_eq!(
                next_step(&situation, NONCONFORMING),
                Step::Ask(next),
                "{retries_left} {stronger_left}"
            );
        }
    }

    #[test]
    fn the_model_that_answered_confirms_its_value_with_a_retry() {
        for (retries_left, stronger_left) in [(2, 0), (1, 1), (1, 2)] {
            for rung in [Rung::Native, Rung::Tool, Rung::Prompt] {
                let situation = Situation { retries_left, stronger_left, rung, ..SITUATION };
                assert_eq!(next_step(&situation, Seen::Unconfirmed), Step::Ask(Next { rung, ..NEXT }));
            }
        }
    }

    #[test]
    fn a_repeated_answer_tries_another_model_then_another_strategy_then_fails() {
        let stronger = Situation { stronger_left: 1, ..SITUATION };
        assert_eq!(next_step(&stronger, REPEATED), Step::Ask(Next { stronger: true, ..NEXT }));
        assert_eq!(next_step(&SITUATION, REPEATED), Step::Ask(Next { rung: Rung::Tool, ..NEXT }));
        let bottom = Situation { lower: None, ..SITUATION };
        assert_eq!(next_step(&bottom, REPEATED), Step::Fail(Cause::NoProgress));
    }

    #[test]
    fn after_an_echo_the_conversation_starts_fresh() {
        for repeated in [false, true] {
            let seen = Seen::Echoed { repeated };
            let words = Situation { rung: Rung::Prompt, lower: None, ..SITUATION };
            let anew = Next { say: Say::Anew, rung: Rung::Prompt, ..NEXT };
            assert_eq!(next_step(&words, seen), Step::Ask(anew));
            let spent = Situation { retries_left: 0, ..words };
            assert_eq!(next_step(&spent, seen), Step::Fail(Cause::Contract));
            let native = Next { rung: Rung::Native, ..anew };
            assert_eq!(next_step(&SITUATION, seen), Step::Ask(native));
            let tool = Situation { rung: Rung::Tool, lower: Some(Rung::Prompt), ..SITUATION };
            assert_eq!(next_step(&tool, seen), next_step(&tool, Seen::Nonconforming { repeated }));
        }
    }

    #[test]
    fn a_rejected_schema_uses_no_retry_and_fails_without_another_strategy() {
        let down = Next { say: Say::Same, rung: Rung::Tool, counted: false, ..NEXT };
        for retries_left in [0, 2] {
            let situation = Situation { retries_left, ..SITUATION };
            assert_eq!(next_step(&situation, Seen::Rejected), Step::Ask(down));
        }
        let only = Situation { lower: None, ..SITUATION };
        assert_eq!(next_step(&only, Seen::Rejected), Step::Fail(Cause::Rejected));
    }

    #[test]
    fn a_rejected_tool_choice_is_dropped_before_the_strategy() {
        let forced = Situation { rung: Rung::Tool, forced: true, lower: None, ..SITUATION };
        let same = Next { say: Say::Same, rung: Rung::Tool, counted: false, ..NEXT };
        assert_eq!(next_step(&forced, Seen::Rejected), Step::Ask(same));
    }

    #[test]
    fn a_cut_answer_gets_more_room_or_is_continued() {
        let more = Next { ceiling: Ceiling::Raise(8192), ..NEXT };
        assert_eq!(next_step(&SITUATION, Seen::Truncated), Step::Ask(more));
        let full = Situation { higher_ceiling: None, ..SITUATION };
        assert_eq!(next_step(&full, Seen::Truncated), Step::Ask(NEXT));
        let text = Situation { rung: Rung::Prompt, ..full };
        let go_on = Next { say: Say::Continue, rung: Rung::Prompt, ..NEXT };
        assert_eq!(next_step(&text, Seen::Truncated), Step::Ask(go_on));
    }

    #[test]
    fn a_cut_answer_is_at_last_asked_of_the_stronger_models() {
        for higher_ceiling in [Some(8192), None] {
            for rung in [Rung::Native, Rung::Tool, Rung::Prompt] {
                let early = Situation { higher_ceiling, rung, stronger_left: 1, ..SITUATION };
                assert!(
                    matches!(next_step(&early, Seen::Truncated), Step::Ask(Next { stronger: false, .. })),
                    "{early:?}"
                );
                let ceiling = higher_ceiling.map_or(Ceiling::Keep, Ceiling::Raise);
                let last = Situation { retries_left: 1, ..early };
                let whole = Next { stronger: true, rung, ceiling, ..NEXT };
                assert_eq!(next_step(&last, Seen::Truncated), Step::Ask(whole), "{last:?}");
            }
        }
    }

    #[test]
    fn a_rejected_token_limit_is_reverted_without_a_retry() {
        let spent = Situation { retries_left: 0, ..SITUATION };
        let back = Next { say: Say::Same, ceiling: Ceiling::Restore, counted: false, ..NEXT };
        assert_eq!(next_step(&spent, Seen::CeilingRefused), Step::Ask(back));
    }

    #[test]
    fn prose_is_nudged_and_at_last_the_call_is_demanded() {
        let tool = Situation { rung: Rung::Tool, lower: Some(Rung::Prompt), ..SITUATION };
        let nudge = Next { rung: Rung::Tool, ..NEXT };
        let demand = Next { force: true, ..nudge };
        assert_eq!(next_step(&tool, PROSE), Step::Ask(nudge));
        assert_eq!(next_step(&tool, PROSE_AGAIN), Step::Ask(demand));
        let last = Situation { retries_left: 1, ..tool };
        assert_eq!(next_step(&last, PROSE), Step::Ask(demand));
        let never = Situation { can_force: false, ..last };
        assert_eq!(next_step(&never, PROSE), Step::Ask(nudge));
        assert_eq!(next_step(&never, PROSE_AGAIN), Step::Ask(Next { rung: Rung::Prompt, ..nudge }));
        let in_vain = Situation { forced: true, lower: None, ..tool };
        assert_eq!(next_step(&in_vain, PROSE_AGAIN), Step::Fail(Cause::NoProgress));
        let strong = Situation { stronger_left: 1, ..last };
        assert_eq!(next_step(&strong, PROSE), Step::Ask(Next { stronger: true, ..demand }));
    }

    #[test]
    fn a_model_that_was_never_seen_to_call_tools_is_asked_in_words() {
        for repeated in [false, true] {
            let seen = Seen::NotSubmitted { repeated, calls_tools: false };
            let tool = Situation { rung: Rung::Tool, lower: Some(Rung::Prompt), ..SITUATION };
            let anew = Next { say: Say::Anew, rung: Rung::Prompt, ..NEXT };
            assert_eq!(next_step(&tool, seen), Step::Ask(anew));
            assert_eq!(next_step(&Situation { lower: None, ..tool }, seen), Step::Ask(anew));
            let spent = Situation { retries_left: 0, ..tool };
            assert_eq!(next_step(&spent, seen), Step::Fail(Cause::Contract));
        }
    }
}
