//! Every limit of the engine, each with its reason. Over a limit there is a clear error, never a hang.

/// How deeply an answer or a schema may nest. Real answers stay below 20; parsers, validators and printers
/// recurse once a level, and 128 levels fit the smallest stack that we run on (2 MiB, unoptimised).
pub const MAX_DEPTH: usize = 128;

/// The longest answer that is judged. Far above what a model can write in one turn, low enough that a handful
/// of answers judged at once stay within a small machine's memory.
pub const MAX_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// How many values an answer may have. A parsed value takes up to 400 bytes, and some are copied while they are repaired; a model
/// writes less than one with each token.
pub const MAX_TEXT_VALUES: u64 = 500_000;

/// How many places of one text are tried as the beginning of a value. Prose has a few; a text with more is an
/// attack, or a data dump without a recognisable answer.
pub const MAX_CANDIDATE_STARTS: usize = 100_000;

/// The largest schema, as compact JSON. Providers stop at a tenth of it.
pub const MAX_SCHEMA_BYTES: usize = 1024 * 1024;

/// How many subschemas one place of a value may be tested against once references are followed. References
/// that fan out (`a` is `b` or `b`, `b` is `c` or `c`, …) double the work with each line; a schema made for
/// people stays below a hundred.
pub const MAX_IN_PLACE_SUBSCHEMAS: u64 = 10_000;

/// How large all patterns of a schema may be together once they are compiled: characters and ranges of characters, counts
/// written out. About 34 bytes and 250 nanoseconds each, so 32 MiB and a quarter of a second for the most. `\p{L}` has 680
/// ranges, an address of mail some tens.
pub const MAX_PATTERN_PARTS: u64 = 1_000_000;

/// What validating one value may cost, in steps of about ten nanoseconds: half a second, and as much again to count them.
/// A list of 10,000 rows with 20 fields, each of which has 20 alternatives, takes a quarter of it.
pub const MAX_VALIDATION_STEPS: u64 = 50_000_000;

/// What listing all errors of one value may cost: a tenth of what validating it may, because each error is built. Only changes
/// of shape need the list; the verdict never does.
pub const MAX_ERROR_STEPS: u64 = MAX_VALIDATION_STEPS / 10;

/// What all validations of one judgement may cost: a text may hold thousands of values that could be the answer, and a
/// damaged one thousands of readings.
pub const MAX_JUDGEMENT_STEPS: u64 = 2 * MAX_VALIDATION_STEPS;

/// How deeply the validator recurses: the levels of a value times the schemas that apply to one place of it. Fits the
/// smallest stack that we run on (2 MiB).
pub const MAX_VALIDATION_LEVELS: usize = 1_024;

/// The longest chain of references that lead directly to another reference. People use about three;
/// each needs some of the validator's stack.
pub const MAX_REFERENCE_CHAIN: usize = 256;

/// How many schemas for the same place of a value may nest in each other once references are followed. Everything that
/// walks a schema recurses once a level, and this many fit the smallest stack that we run on (2 MiB, unoptimised).
pub const MAX_IN_PLACE_NESTING: usize = 512;

/// Digits of a number, and the size of its exponent. More is refused rather than rounded: nothing reads it.
pub const MAX_NUMBER_DIGITS: usize = 1_000;

/// How many located errors are reported. Models do not fix more at once.
pub const MAX_ERRORS: usize = 20;

/// The longest CEL expression. Invariants are one line; its parser recurses with the length.
pub const MAX_INVARIANT_BYTES: usize = 2 * 1024;

/// How many schemas and properties a schema may have once its references are followed for a provider. Merging
/// sibling keywords can multiply them; providers stop at a few thousand.
pub const MAX_LOWERED_PARTS: usize = 50_000;

/// How many combinations of sibling unions are written out for a provider.
pub const MAX_UNION_PRODUCT: usize = 64;

/// How deeply unions may nest directly in each other for a provider. The search for a branch recurses once a
/// level.
pub const MAX_UNION_NESTING: usize = 32;

/// How many branches of one union are compared with each other, each with each. A union with more gets a tag.
pub const MAX_COMPARED_BRANCHES: usize = 64;

/// The largest schema that is compared with its siblings, so that the same one is not sent twice to a provider. Comparing larger
/// ones would read a deep schema again at each of its levels; sending one twice costs a few tokens.
pub const MAX_COMPARED_PARTS: u64 = 64;

/// How many pairs of schemas one comparison of two branches may touch.
pub const MAX_COMPARED_PAIRS: usize = 1_000;

/// How many rounds of decisions are taken before every union in doubt gets a tag. Real schemas need two.
pub const MAX_PLAN_ROUNDS: usize = 8;

/// How deeply a lowered schema nests, as JSON. Providers compile it, and their limits are not
/// higher than ours.
pub const MAX_LOWERED_DEPTH: usize = 100;

/// The largest schema, as compact JSON, that the linter tries to prove empty. Larger ones still compile.
pub const MAX_SATISFIABILITY_BYTES: usize = 64 * 1024;

/// How many branches and references such a schema may have: the proof multiplies them.
pub const MAX_SATISFIABILITY_BRANCHES: usize = 200;

/// How many pairs of schema and value are looked at to explain an invalid answer. An answer of the largest size
/// is walked through once; alternatives that multiply the work end here.
pub const MAX_EXPLAIN_VISITS: u64 = 5_000_000;

/// How many more are looked at once there are enough errors to report, only to count the rest.
pub const MAX_VISITS_AFTER_ERRORS: u64 = 100_000;

/// How deeply explaining recurses: an answer's depth times the references between its levels. Fits the smallest
/// stack that we run on (2 MiB, unoptimised).
pub const MAX_EXPLAIN_DEPTH: usize = 512;

/// How deeply brackets and conditions nest in an invariant. Its parser takes about 100 KiB of stack a level in an
/// unoptimised build, and no real rule is deeper.
pub const MAX_INVARIANT_NESTING: u16 = 32;

/// How deeply the parsed expression of an invariant nests. Evaluation takes up to 70 KiB of stack a level in an
/// unoptimised build, twice that with the meter.
pub const MAX_INVARIANT_DEPTH: usize = 100;

/// How deeply `all`, `exists`, `filter` and `map` nest in an invariant. Three compare every pair in every list;
/// each further level multiplies the work by the length of a list.
pub const MAX_INVARIANT_MACROS: usize = 4;

/// What checking the invariants of one answer may cost: values looked at, in all rules together. Comparing each
/// of 400 items with each other passes; spending all of it takes some seconds in an unoptimised build.
pub const MAX_INVARIANT_STEPS: u64 = 2_000_000;

/// How many values a document may have for its invariants to be checked: each is copied for the evaluator.
pub const MAX_INVARIANT_VALUES: usize = 1_000_000;
