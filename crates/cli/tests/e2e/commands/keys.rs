//! `accord keys`: the first key is created before the first start.

use std::os::unix::fs::PermissionsExt as _;

use accord_api::Role;
use serde_json::json;

use super::{always, finish, run};
use crate::support::{Project, accord, agent};

#[tokio::test]
async fn a_public_address_requires_a_key() {
    let model = always("done").await;
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    std::fs::write(project.path().join("accord.toml"), "[server]\nlisten = \"0.0.0.0:0\"\n").unwrap();
    let refused = run(project.path(), &["up"]).await.ends(1, &["accord keys create"]);
    assert_eq!(refused.stdout, "");

    let made = run(project.path(), &["keys", "create", "--role", "admin", "--name", "ops"]).await;
    let made = made.ends(0, &["key_", "admin", "cannot be shown again"]);
    let admin = made.stdout.trim().to_owned();
    assert!(!made.stderr.contains(&admin));
    let host = project.up_as_configured().await;
    let folder = host.path();
    assert!(host.url.starts_with("http://127.0.0.1:"), "{}", host.url);

    run(folder, &["run", "free", "x"]).await.ends(1, &["--key-file FILE or ACCORD_KEY"]);
    let refused = run(folder, &["keys", "create", "--role", "viewer"]).await;
    refused.ends(1, &["an admin key", "stop the coordinator and create one then"]);
    run(folder, &["runs", "list", "--key", "accord_wrong"]).await.ends(1, &["key"]);
    let ran = run(folder, &["run", "free", "x", "--key", &admin]).await.ends(0, &[]);
    assert_eq!(ran.stdout, "done\n");
    let made = ["keys", "create", "--role", "viewer", "--json", "--key", &admin];
    let made = run(folder, &made).await.ends(0, &[]).json();
    let (viewer, id) = (made["key"].as_str().unwrap(), made["key_id"].as_str().unwrap());
    let mut command = accord(folder);
    let list = finish(command.args(["runs", "list", "--json"]).env("ACCORD_RUNNER__KEY", viewer), "").await;
    assert_eq!(list.ends(0, &[]).json()["items"].as_array().unwrap().len(), 1);
    run(folder, &["run", "free", "x", "--key", viewer]).await.ends(1, &["viewer"]);
    run(folder, &["doctor", "--key", viewer]).await.ends(0, &[]);
    let made = ["keys", "create", "--role", "runner", "--json", "--key", &admin];
    let runner = run(folder, &made).await.ends(0, &[]).json()["key"].as_str().unwrap().to_owned();
    let said = run(folder, &["doctor", "--key", &runner]).await.ends(0, &[]).stdout;
    assert!(said.contains("ok    runners: the key has the role runner"), "{said}");

    let list = run(folder, &["keys", "list", "--key", &admin]).await.ends(0, &[]).stdout;
    assert!(list.contains("ops") && list.contains("viewer") && !list.contains(&admin), "{list}");
    let list = run(folder, &["keys", "list", "--key", &admin, "--json"]).await.json();
    let roles: Vec<_> = list["items"].as_array().unwrap().iter().map(|key| key["role"].clone()).collect();
    assert!(roles.contains(&json!(Role::Admin)) && roles.contains(&json!(Role::Viewer)), "{list}");
    run(folder, &["keys", "rm", id, "--key", &admin]).await.ends(0, &["revoked key_"]);
    run(folder, &["runs", "list", "--key", viewer]).await.ends(1, &["key"]);
    run(folder, &["keys", "rm", id, "--key", &admin]).await.ends(1, &["accord keys list"]);
}

#[tokio::test]
async fn a_key_comes_from_a_file_or_the_environment() {
    let model = always("done").await;
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    let made = run(project.path(), &["keys", "create", "--role", "admin"]).await.ends(0, &[]);
    let admin = made.stdout.trim().to_owned();
    let host = project.up().await;
    let folder = host.path();
    let file = folder.join("admin.key");
    std::fs::write(&file, format!("{admin}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();

    let quiet = run(folder, &["runs", "list", "--key-file", "admin.key"]).await.ends(0, &[]);
    assert!(!quiet.stderr.contains("warning"), "{quiet:?}");
    for (name, value) in [("ACCORD_KEY", admin.as_str()), ("ACCORD_KEY_FILE", "admin.key")] {
        let mut command = accord(folder);
        let quiet = finish(command.args(["runs", "list"]).env(name, value), "").await.ends(0, &[]);
        assert!(!quiet.stderr.contains("warning"), "{name}: {quiet:?}");
    }
    let warned =
        run(folder, &["runs", "list", "--key", &admin]).await.ends(0, &["--key-file FILE", "ACCORD_KEY"]);
    assert_eq!(warned.stderr.matches("warning:").count(), 1, "{warned:?}");
    run(folder, &["runs", "list", "--key", "k", "--key-file", "f"]).await.ends(1, &["cannot be used with"]);

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let warned = run(folder, &["runs", "list", "--key-file", "admin.key"]).await;
    warned.ends(0, &["other users can read it (mode 644): run `chmod 600"]);
    run(folder, &["runs", "list", "--key-file", "gone.key"]).await.ends(1, &["cannot read the key file"]);
    host.end().await;
}
