//! Bounds, each with its reason.

/// The most nodes of a graph. A person draws tens, a program hundreds; a run keeps a row for each.
pub const MOST_NODES: usize = 5_000;

/// The most edges of a graph: every node may have some downstream nodes, but not all others.
pub const MOST_EDGES: usize = 20_000;

/// The most items that one `map` node works on. Each is a run with its own row in the queue.
pub const MOST_ITEMS: usize = 1_000;

/// The most concurrent runs of one `map` or `planner` node.
pub const HIGHEST_CONCURRENCY: u32 = 100;

/// How many it has where the document does not say: enough to be quick, few enough for a provider's limits.
pub const USUAL_CONCURRENCY: u32 = 8;

/// The most retries of one node. What fails so often does not fail by chance.
pub const MOST_RETRIES: u32 = 10;

/// The most subtasks of a plan. A longer one is a sign that the planner lists and does not plan.
pub const MOST_SUBTASKS: usize = 50;

/// How often a planner is asked again for a plan that cannot be carried out, beside what its contract asks again.
pub const PLAN_RETRIES: u32 = 2;

/// The longest id of a node: it is a variable in templates and a label in a drawing.
pub const LONGEST_ID: usize = 64;

/// The longest template. Models read megabytes; people write pages.
pub const MAX_TEMPLATE_BYTES: usize = 256 * 1024;

/// The longest line of a template. The library counts columns in 16 bits, and fails if it has to
/// report an error beyond that column.
pub const MAX_TEMPLATE_LINE_BYTES: usize = 65_000;

/// How deeply an expression of a template may nest: each operator, dot, filter and bracket is a level, and what is
/// separated by commas lies side by side. The parser and the compiler recurse once a level, and this many fit the smallest
/// stack that we run on (2 MiB, unoptimised). People write ten.
pub const MAX_TEMPLATE_NESTING: usize = 128;

/// How many blocks of a template may be open at once; each `elif` counts as one. The parser recurses once a block.
pub const MAX_TEMPLATE_BLOCKS: usize = 64;

/// The largest text that a template may write, with what it keeps by `{% set %}` and `{% filter %}` blocks: what a request
/// to the coordinator may have.
pub const MAX_RENDERED_BYTES: usize = 8 * 1024 * 1024;

/// Steps of one rendering: a loop over a hundred thousand values ends, an endless one ends too.
pub const TEMPLATE_FUEL: u64 = 3_000_000;

/// What one rendering may work on: values that it looks at or makes, and texts by their length. Everything that a prompt can
/// hold can be looked at a few times; spending all of it takes some seconds in an unoptimised build and less than one
/// otherwise.
pub const TEMPLATE_WORK: u64 = 4_000_000;

/// How deeply a value that a template makes may nest: what JSON is read to.
pub const MAX_TEMPLATE_DEPTH: usize = accord_contract::limits::MAX_DEPTH;

/// The largest text that a filter may make on the way to what is rendered: some times what may come out.
pub const MOST_FILTERED_BYTES: usize = 8 * MAX_RENDERED_BYTES;

/// The most parts that a filter may cut a list into, and the longest that it may fill one up to: what `range` may have.
pub const MOST_FILTERED_PARTS: usize = 100_000;

/// The widest field of a format: a line of a wide table.
pub const WIDEST_FORMAT: usize = 1_000;

/// The bytes of text that a run may hold: the outputs of its nodes, and what the tasks that start in one step get. Eight of the
/// largest answers.
pub const MOST_HELD_BYTES: u64 = 64 * 1024 * 1024;

/// The values of the same. Each is copied several times on its way, at up to 160 bytes a copy, and a run may take 512 MiB.
pub const MOST_HELD_VALUES: u64 = 300_000;

/// Values that may be copied for the templates and conditions of one step: some seconds.
pub const MOST_COPIED: u64 = 50_000_000;

/// How deep workflows may nest in each other.
pub const DEEPEST_NESTING: u32 = 5;

/// How many contradictions of one node are reported as events. All of them are in the view of the
/// run, and the unreported number is a warning of the node: each event is a row in the transaction
/// of the step.
pub const MOST_CONTRADICTION_EVENTS: usize = 1_000;

/// Names beyond this are not looked through for what a wrong one was meant to be.
pub const MOST_NAMES: usize = 100;

/// The most places of one agent's rules that are held against its schemas. People write ten.
pub const MOST_READS: usize = 1_000;

/// The largest schema, as compact JSON, that is linted where an agent or a workflow is examined: files are examined whenever
/// they change, and the linter tries a schema at every provider. `accord schemas lint` takes larger ones.
pub const MAX_LINTED_BYTES: usize = 64 * 1024;

/// The longest time that a person has to answer: thirty days. A request that is not answered within
/// a month has been forgotten.
pub const LONGEST_INPUT_SECONDS: u32 = 30 * 24 * 60 * 60;
