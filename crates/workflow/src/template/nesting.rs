//! How deeply a template nests, measured on its tokens before the parser sees it.
//!
//! The parser, the compiler and the destructors of their trees recurse once per level of the syntax
//! tree. Every node of that tree takes at least one token, and items separated by commas are
//! siblings. So an expression is no deeper than the tokens of its longest item, plus those of the
//! deepest brackets in it; a statement is as deep as the blocks that are open around it, and each
//! `elif` opens one more.

use minijinja::Error;
use minijinja::machinery::{Token, tokenize};

use super::TemplateError;
use crate::limits::{MAX_TEMPLATE_BLOCKS, MAX_TEMPLATE_NESTING};

/// Refuses a template that nests too deeply. Errors of the tokenizer are ignored here: the parser reports them.
pub(super) fn check(source: &str) -> Result<(), TemplateError> {
    measure(tokens(source, false))
}

/// The same for an expression alone.
pub(super) fn check_expression(source: &str) -> Result<(), TemplateError> {
    measure(tokens(source, true))
}

fn tokens(source: &str, in_expression: bool) -> impl Iterator<Item = Token<'_>> {
    let tokens = tokenize(source, in_expression, minijinja::syntax::SyntaxConfig::default());
    tokens.map_while(|token: Result<_, Error>| token.ok()).map(|(token, _)| token)
}

fn measure<'a>(tokens: impl Iterator<Item = Token<'a>>) -> Result<(), TemplateError> {
    let mut blocks = Blocks::default();
    let mut code = Code::default();
    for token in tokens {
        match token {
            Token::TemplateData(_) => continue,
            Token::VariableStart | Token::BlockStart => code = Code::default(),
            Token::VariableEnd => {}
            Token::BlockEnd => blocks.count(&code)?,
            other => code.count(&other)?,
        }
    }
    Ok(())
}

/// One item of a list, of arguments, or between two brackets.
#[derive(Debug, Default)]
struct Item {
    tokens: usize,
    /// The deepest of the brackets in it.
    deepest: usize,
    /// The deepest of the items before it between the same brackets.
    deepest_before: usize,
}

impl Item {
    fn depth(&self) -> usize {
        self.tokens + self.deepest
    }
}

/// The code between `{{` and `}}`, or between `{%` and `%}`.
#[derive(Debug, Default)]
struct Code {
    /// The items that are open, the innermost last.
    open: Vec<Item>,
    current: Item,
    keyword: Option<Keyword>,
    is_assignment: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Opens,
    Closes,
    /// `set`, which opens a block unless it assigns a value.
    Set,
    Elif,
    None,
}

impl Code {
    fn count(&mut self, token: &Token<'_>) -> Result<(), TemplateError> {
        let keyword = *self.keyword.get_or_insert_with(|| keyword(token));
        self.current.tokens += 1;
        match token {
            Token::Comma => {
                let before = self.current.depth().max(self.current.deepest_before);
                self.current = Item { deepest_before: before, ..Item::default() };
            }
            Token::BracketOpen | Token::BraceOpen | Token::ParenOpen => {
                self.open.push(std::mem::take(&mut self.current));
            }
            Token::BracketClose | Token::BraceClose | Token::ParenClose => {
                let closed = std::mem::take(&mut self.current);
                let depth = closed.depth().max(closed.deepest_before);
                self.current = self.open.pop().unwrap_or_default();
                self.current.deepest = self.current.deepest.max(depth);
            }
            Token::Assign if self.open.is_empty() && keyword == Keyword::Set => self.is_assignment = true,
            _ => {}
        }
        // Open brackets may still become deeper, so they are counted at every token.
        let depth = self.open.iter().map(|item| item.tokens).sum::<usize>() + self.current.depth();
        match depth <= MAX_TEMPLATE_NESTING {
            true => Ok(()),
            false => Err(TemplateError::new(format!(
                "an expression is nested deeper than {MAX_TEMPLATE_NESTING} levels (each operator, dot, filter and bracket counts as one); split it with {{% set %}}"
            ))),
        }
    }
}

fn keyword(token: &Token<'_>) -> Keyword {
    match token {
        Token::Ident("set") => Keyword::Set,
        Token::Ident("elif") => Keyword::Elif,
        Token::Ident("else" | "do") => Keyword::None,
        Token::Ident(word) if word.starts_with("end") => Keyword::Closes,
        _ => Keyword::Opens,
    }
}

/// The blocks that are open: for each, how many levels it takes.
#[derive(Debug, Default)]
struct Blocks {
    open: Vec<usize>,
    levels: usize,
}

impl Blocks {
    /// Counts a statement. One that closes what is not open is an error of the parser, which gets no deeper there.
    fn count(&mut self, statement: &Code) -> Result<(), TemplateError> {
        match statement.keyword {
            Some(Keyword::Opens) => self.open.push(1),
            Some(Keyword::Set) if !statement.is_assignment => self.open.push(1),
            Some(Keyword::Closes) => {
                self.levels -= self.open.pop().unwrap_or_default().min(self.levels);
                return Ok(());
            }
            Some(Keyword::Elif) => match self.open.last_mut() {
                Some(levels) => *levels += 1,
                None => self.open.push(1),
            },
            _ => return Ok(()),
        }
        self.levels += 1;
        match self.levels <= MAX_TEMPLATE_BLOCKS {
            true => Ok(()),
            false => Err(TemplateError::new(format!(
                "more than {MAX_TEMPLATE_BLOCKS} nested blocks; each 'elif' counts as one"
            ))),
        }
    }
}
