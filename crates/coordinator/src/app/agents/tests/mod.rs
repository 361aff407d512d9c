mod comments;
mod current;
mod watching;
