//! Files of callers.

use std::sync::Arc;

use accord_domain::file::FileRef;
use accord_domain::id::FileId;
use accord_store::{FileRecord, FileTotals, Store, StoreError};

use super::make::at;

/// A file of nobody, of 4 bytes.
pub(super) fn file(name: &str) -> FileRecord {
    FileRecord {
        owner: String::new(),
        file: FileRef {
            id: FileId::new(name),
            name: format!("für {name}\0.png"),
            media_type: "image/png".into(),
            bytes: 4,
        },
        created_at: at(1),
        expires_at: at(10),
    }
}

/// A file is kept completely, and only its owner sees that it is there. The content is for every run that names it.
pub async fn files_are_kept_by_owner(store: Arc<dyn Store>) {
    let (record, id) = (FileRecord { owner: "key_a".into(), ..file("a") }, FileId::new("a"));
    let kept = store.keep_file(record.clone(), vec![0, 255, 1, 2]).await.unwrap();
    assert_eq!(kept, record);
    assert_eq!(store.file("key_a", &id).await.unwrap(), Some(record));
    assert_eq!(store.file("", &id).await.unwrap(), None);
    assert_eq!(store.file_content(&id).await.unwrap(), Some(vec![0, 255, 1, 2]));
    assert_eq!(store.file_content(&FileId::new("b")).await.unwrap(), None);
    assert_eq!(store.file_totals("key_a").await.unwrap(), FileTotals { count: 1, bytes: 4 });
    assert_eq!(store.file_totals("").await.unwrap(), FileTotals::default());
    store.keep_file(file("a"), vec![0, 255, 1, 2]).await.unwrap();
    store.remove_file("key_a", &id).await.unwrap();
    assert!(store.file_content(&id).await.unwrap().is_some(), "the other owner has it still");
    let again = store.remove_file("key_a", &id).await.unwrap_err();
    assert!(matches!(again, StoreError::NoSuch { kind: "file", .. }), "{again}");
}

/// A file that its owner has keeps its name, and its time is extended, never shortened.
pub async fn the_same_file_again_lasts_longer(store: Arc<dyn Store>) {
    store.keep_file(file("a"), vec![1]).await.unwrap();
    let mut again = FileRecord { expires_at: at(30), created_at: at(5), ..file("a") };
    again.file.name = "other.png".into();
    let kept = store.keep_file(again.clone(), vec![1]).await.unwrap();
    assert_eq!(kept, FileRecord { expires_at: at(30), ..file("a") });
    let sooner = store.keep_file(FileRecord { expires_at: at(20), ..again }, vec![1]).await.unwrap();
    assert_eq!(sooner.expires_at, at(30));
    assert_eq!(store.file_totals("").await.unwrap().count, 1);
}

/// Whoever has a file, a run that uses it extends its time; files that are gone are named.
pub async fn files_in_use_last_longer(store: Arc<dyn Store>) {
    for (name, owner) in [("a", "key_a"), ("a", "key_b"), ("b", "")] {
        store.keep_file(FileRecord { owner: owner.into(), ..file(name) }, vec![1]).await.unwrap();
    }
    let [a, b, c] = ["a", "b", "c"].map(FileId::new);
    let missing = store.extend_files(&[c.clone(), a.clone(), b.clone()], at(50)).await.unwrap();
    assert_eq!(missing, [c]);
    assert_eq!(store.extend_files(std::slice::from_ref(&a), at(20)).await.unwrap(), []);
    for (owner, id) in [("key_a", &a), ("key_b", &a), ("", &b)] {
        assert_eq!(store.file(owner, id).await.unwrap().unwrap().expires_at, at(50), "{owner}");
    }
    assert_eq!(store.extend_files(&[], at(60)).await.unwrap(), []);
}

/// Files whose time is over are removed; the others stay.
pub async fn old_files_are_forgotten(store: Arc<dyn Store>) {
    for (name, seconds) in [("a", 10), ("b", 20)] {
        let record = FileRecord { expires_at: at(seconds), ..file(name) };
        store.keep_file(record, vec![1]).await.unwrap();
    }
    store.forget_files(at(20)).await.unwrap();
    assert_eq!(store.file_content(&FileId::new("a")).await.unwrap(), None);
    assert_eq!(store.file_content(&FileId::new("b")).await.unwrap(), Some(vec![1]));
}
