//! The names that match runs to runners. A name that no runner can have is rejected early, because a run that requires it
//! would wait forever.

use accord_domain::demands::Demands;

/// What is wrong with a hostname, folder, executor type or tag.
pub fn label_error(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty; omit it or set a value");
    }
    name.chars().any(char::is_control).then_some("it contains a control character; remove it")
}

/// The first requirement that no runner can meet: its field, its value and what is wrong with it.
pub fn unmeetable(demands: &Demands) -> Option<(&'static str, &str, &'static str)> {
    let single = [
        ("hostname", &demands.hostname),
        ("project_dir", &demands.project_dir),
        ("executor_type", &demands.executor_type),
    ];
    let single = single.into_iter().filter_map(|(field, name)| Some((field, name.as_ref()?)));
    let mut all = single.chain(demands.tags.iter().map(|tag| ("tags", tag)));
    all.find_map(|(field, name)| Some((field, name.as_str(), label_error(name)?)))
}
