//! The words around values, and what they say of them.

/// Words that name items, point to them, or say nothing.
const NEUTRAL: &[&str] = &[
    "a", "an", "are", "call", "element", "entry", "first", "function", "here", "is", "item", "json", "line",
    "number", "object", "of", "one", "part", "record", "row", "the", "tool", "value",
];

/// Words that put a value beside the one before it.
const JOINING: &[&str] = &[
    "also", "and", "another", "et", "last", "more", "och", "og", "plus", "then", "und", "y", "и", "と", "和",
];

/// Words that count on from the value before.
const COUNTING: &[&str] =
    &["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "next"];

/// Words for one of several ways to answer, and words that choose between values or correct them.
const DOUBTFUL: &[&str] = &[
    "aber",
    "actual",
    "actually",
    "after",
    "alternativa",
    "alternative",
    "alternatively",
    "amended",
    "anstatt",
    "answer",
    "antwort",
    "approach",
    "attempt",
    "bad",
    "becomes",
    "before",
    "best",
    "better",
    "bitte",
    "but",
    "candidate",
    "choice",
    "concept",
    "correct",
    "corrected",
    "correction",
    "corrects",
    "draft",
    "either",
    "else",
    "estimate",
    "example",
    "examples",
    "expected",
    "final",
    "finally",
    "fix",
    "fixed",
    "good",
    "guess",
    "hmm",
    "hypothesis",
    "idea",
    "improved",
    "incorrect",
    "input",
    "instead",
    "interpretation",
    "invalid",
    "iteration",
    "korrektur",
    "korrigiert",
    "lösung",
    "mais",
    "maybe",
    "mistake",
    "my",
    "nein",
    "new",
    "no",
    "non",
    "not",
    "o",
    "oder",
    "old",
    "oops",
    "opción",
    "opinion",
    "oppure",
    "option",
    "opzione",
    "opção",
    "or",
    "original",
    "ou",
    "output",
    "pass",
    "perhaps",
    "pero",
    "plan",
    "possibility",
    "possible",
    "preferred",
    "previous",
    "proposal",
    "rather",
    "reading",
    "really",
    "refined",
    "replace",
    "replaced",
    "replacement",
    "respuesta",
    "retry",
    "revised",
    "revision",
    "right",
    "round",
    "réponse",
    "scenario",
    "should",
    "solution",
    "sondern",
    "sorry",
    "stattdessen",
    "strategy",
    "suggestion",
    "take",
    "thought",
    "thoughts",
    "trial",
    "try",
    "u",
    "unless",
    "update",
    "updated",
    "v",
    "variant",
    "variante",
    "version",
    "versus",
    "vs",
    "wait",
    "was",
    "way",
    "wrong",
    "вариант",
    "ответ",
    "方案",
    "答案",
    "选项",
];

/// Words before several values that ask to take one of them.
const CHOOSING: &[&str] = &["choose", "either", "neither", "pick", "whichever"];

/// Words behind several values that set one above the others, or leave it open which one is meant.
const RANKING: &[&str] =
    &["corrects", "disregard", "former", "ignore", "latter", "replaces", "supersedes", "unsure"];

/// The same in two words.
const RANKING_PAIRS: &[[&str; 2]] = &[["not", "sure"], ["which", "of"], ["which", "one"]];

/// What a word between two values says of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Nothing.
    Neutral,
    /// That the second is meant beside the first.
    Joining,
    /// That the second is the next of several.
    Counting,
    /// Perhaps that one stands for the other.
    Doubtful,
    /// Nobody knows.
    Unknown,
}

impl Word {
    /// What a word in small letters says.
    pub(super) fn of(word: &str) -> Self {
        match word {
            _ if DOUBTFUL.contains(&word) => Self::Doubtful,
            _ if COUNTING.contains(&word) => Self::Counting,
            _ if JOINING.contains(&word) => Self::Joining,
            _ if NEUTRAL.contains(&word) => Self::Neutral,
            _ => Self::Unknown,
        }
    }
}

/// The words of a text, in small letters.
pub(super) fn words_of(text: &str) -> Vec<String> {
    text.split(|next: char| !next.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Whether words before several values ask to take one of them.
pub(super) fn choose(words: &[String]) -> bool {
    words.iter().any(|word| CHOOSING.contains(&word.as_str()))
}

/// Whether words behind several values say, or leave open, which one of them is meant.
pub(super) fn rank(words: &[String]) -> bool {
    let is_pair = |pair: &[String]| RANKING_PAIRS.iter().any(|known| pair == known.as_slice());
    words.iter().any(|word| RANKING.contains(&word.as_str())) || words.windows(2).any(is_pair)
}
