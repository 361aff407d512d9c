//! Any diff is read or rejected, and no byte after the first file is lost.

#![no_main]

use accord_workflow::diff::Diff;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(diff) = Diff::parse(&text) {
        let parts: String = diff.files.iter().map(|file| file.text).collect();
        assert!(text.ends_with(&parts), "the parts are not the end of the text: {diff:?}");
        assert!(diff.numbered().lines().count() <= text.lines().count() * 3 + 1, "{diff:?}");
    }
});
