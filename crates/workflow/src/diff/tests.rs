use proptest::prelude::*;

use super::*;

const GIT: &str = "From 0123 Mon Sep 17 00:00:00 2001
From: Ada <ada@example.com>
Subject: [PATCH 1/2] Read files of the workspace

---
 src/a.rs | 3 ++-
diff --git a/src/a.rs b/src/a.rs
index 111..222 100644
--- a/src/a.rs
+++ b/src/a.rs
@@ -9,4 +9,4 @@ fn main() {
 one
-two
+zwei
+++ counted
-- removed
 three
@@ -40 +40,0 @@
-gone
diff --git a/logo.png b/logo.png
new file mode 100644
index 000..333
Binary files /dev/null and b/logo.png differ
diff --git a/old name.rs b/new name.rs
similarity index 100%
rename from old name.rs
rename to new name.rs
diff --git \"a/gr\\303\\266\\303\\237e.rs\" \"b/gr\\303\\266\\303\\237e.rs\"
deleted file mode 100644
--- \"a/gr\\303\\266\\303\\237e.rs\"
+++ /dev/null
@@ -1 +0,0 @@
-x
\\ No newline at end of file
diff --git a/empty b/empty
new file mode 100644
--
2.43.0
";

#[test]
fn reads_the_diffs_of_git() {
    let diff = Diff::parse(GIT).unwrap();
    assert_eq!(diff.subject, Some("Read files of the workspace"));
    let files: Vec<(&str, &Change, bool, usize)> = diff
        .files
        .iter()
        .map(|file| (file.path.as_str(), &file.change, file.is_binary, file.hunks.len()))
        .collect();
    let renamed = Change::Renamed { from: "old name.rs".to_owned() };
    assert_eq!(
        files,
        [
            ("src/a.rs", &Change::Modified, false, 2),
            ("logo.png", &Change::Added, true, 0),
            ("new name.rs", &renamed, false, 0),
            ("größe.rs", &Change::Deleted, false, 1),
            ("empty", &Change::Added, false, 0),
        ]
    );
    let start = GIT.find("diff --git").unwrap();
    assert_eq!(diff.files.iter().map(|file| file.text).collect::<String>(), GIT[start..]);
}

#[test]
fn every_line_after_the_change_has_its_number() {
    let expected = "src/a.rs
   9   one
     - two
  10 + zwei
  11 + ++ counted
     - - removed
  12   three
 ...
     - gone

logo.png (new file) (binary, not shown)

new name.rs (renamed from old name.rs)

größe.rs (deleted)
     - x

empty (new file)
";
    assert_eq!(Diff::parse(GIT).unwrap().numbered(), expected);
    let odd = "--- /dev/null\n+++ \"b/x\\ny.rs\"\n@@ -0,0 +1 @@\n+a\n";
    assert_eq!(Diff::parse(odd).unwrap().numbered(), "x\\ny.rs (new file)\n   1 + a\n");
    assert_eq!(numbered_lines("a\n\n  b"), "   1  a\n   2\n   3    b\n");
}

#[test]
fn reads_the_diffs_of_other_programs() {
    let plain = "--- old/x.c\t2020-01-01 00:00:00\n+++ new/x.c\t2020-01-02\n@@ -1 +1 @@\r\n-a\r\n+b\r\n--- y.c\n+++ y.c\n@@ -0,0 +1 @@\n+c\n";
    let diff = Diff::parse(plain).unwrap();
    let paths: Vec<&str> = diff.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["new/x.c", "y.c"]);
    assert!(diff.files[1].text.starts_with("--- y.c\n"), "{diff:?}");
    assert_eq!(diff.files[0].hunks[0].lines, [(Side::Old, "a"), (Side::New, "b")]);
    let shown = "commit 1234\nAuthor: Ada\n\n    Fix it\n\n    More.\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(Diff::parse(shown).unwrap().subject, Some("Fix it"));
    // With `diff.noprefix`, a folder `a` is a folder.
    let noprefix = "diff --git a/x a/x\n--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(Diff::parse(noprefix).unwrap().files[0].path, "a/x");
    assert_eq!(Diff::parse(" \n").unwrap(), Diff::default());
}

#[test]
fn rejects_texts_that_are_not_diffs() {
    let head = "--- a/x\n+++ b/x\n";
    let damaged = |line, message| DiffError::Damaged { line, message };
    for (text, expected) in [
        ("{\"a\": 1}".to_owned(), DiffError::NotADiff),
        ("some words\n--- not\nmore".to_owned(), DiffError::NotADiff),
        (format!("{head}@@ -1,2 +1,2 @@\n a\n"), damaged(4, "the diff ends inside a hunk")),
        (format!("{head}@@ -1,2 +1 @@\n a\n+b\n"), damaged(5, "a hunk is shorter than its header says")),
        (format!("{head}@@ here @@\n"), damaged(3, "expected a hunk header such as '@@ -10,7 +10,8 @@'")),
        ("diff --cc x\n".to_owned(), DiffError::Combined { line: 1 }),
        (format!("{head}@@@ -1 -1 +1 @@@\n"), DiffError::Combined { line: 3 }),
    ] {
        assert_eq!(Diff::parse(&text), Err(expected), "{text}");
    }
    let nameless = Diff::parse("@@ -1 +1 @@\n-a\n+b\n").unwrap_err().to_string();
    assert!(nameless.contains("without the name of its file"), "{nameless}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn reads_or_rejects_any_text(text in "([-+ @\\\\a\"][-+ @/ab0-9,\"]{0,12}\n?){0,30}") {
        if let Ok(diff) = Diff::parse(&text) {
            prop_assert!(diff.numbered().len() <= (text.len() + 100) * 20);
            prop_assert!(diff.numbered().lines().count() <= text.lines().count() * 3 + 1);
            let parts: String = diff.files.iter().map(|file| file.text).collect();
            prop_assert!(text.ends_with(&parts));
        }
    }

    #[test]
    fn reads_names_with_special_characters(name in "[a-z \"\\\\ö]{1,12}") {
        let quoted: String = name.bytes().map(|byte| match byte {
            b'"' | b'\\' | 0x80.. => format!("\\{byte:03o}"),
            byte => char::from(byte).to_string(),
        }).collect();
        prop_assert_eq!(name::unquoted(&format!("\"{quoted}\"")), name);
    }
}
