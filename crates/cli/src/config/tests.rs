use std::ffi::OsString;

use accord_api::{Embedded, ExtractJson};
use accord_executor::{Auth, ProviderKind};

use super::*;

fn load(file: &str, variables: &[(&str, &str)], flags: Vec<Flag>) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    if !file.is_empty() {
        std::fs::write(folder.path().join("accord.toml"), file).unwrap();
    }
    let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    Config::layer(folder.path(), flags, variables).map_err(|problem| format!("{problem:?}"))
}

#[test]
fn a_flag_beats_the_environment_beats_the_file() {
    let file = "[server]\nlisten = \"127.0.0.1:1\"\n[queue]\nlease_seconds = 5\n[runner]\ntags = [\"a\"]\n";
    let variables = [("ACCORD_SERVER__LISTEN", "127.0.0.1:2"), ("ACCORD_QUEUE__LEASE_SECONDS", "7")];
    let value = toml::Value::String("127.0.0.1:3".into());
    let flags = vec![Flag { key: "server.listen", name: "--listen", value }];
    let config = load(file, &variables, flags).unwrap();
    assert_eq!(config.values.server.listen, "127.0.0.1:3");
    assert_eq!(config.values.queue.lease_seconds, 7);
    assert_eq!(config.values.runner.tags, ["a"]);
    let explained = config.explain();
    let origin = |wanted: &str| explained.iter().find(|(key, ..)| key == wanted).map(|line| line.2.clone());
    assert_eq!(origin("server.listen"), Some(Origin::Flag("--listen")));
    assert_eq!(origin("queue.lease_seconds"), Some(Origin::Variable("ACCORD_QUEUE__LEASE_SECONDS".into())));
    assert_eq!(origin("queue.max_deliveries"), Some(Origin::Default));
}

#[test]
fn the_older_names_work() {
    let variables = [("SCHEMA_ENFORCEMENT_MAX_RETRIES", "4"), ("SCHEMA_ENFORCEMENT_EXTRACT_JSON", "false")];
    let config = load("", &variables, Vec::new()).unwrap();
    assert_eq!(
        (config.values.enforcement.max_retries, config.values.enforcement.extract_json),
        (4, ExtractJson::NONE)
    );
}

#[test]
fn numbers_that_cannot_work_are_errors() {
    let rows = [
        ("ACCORD_QUEUE__LEASE_SECONDS", "2", "queue.lease_seconds: expected 3 or more, got 2"),
        ("ACCORD_QUEUE__MAX_DELIVERIES", "0", "queue.max_deliveries: expected 1 or more, got 0"),
        ("ACCORD_RUNNER__CONCURRENCY", "0", "runner.concurrency: expected 1 or more, got 0"),
        ("ACCORD_ENFORCEMENT__MAX_RETRIES", "11", "enforcement.max_retries: expected 0 to 10, got 11"),
        (
            "ACCORD_SERVER__REQUEST_LIMIT_BYTES",
            "9",
            "server.request_limit_bytes: expected 65536 or more, got 9",
        ),
    ];
    for (variable, value, told) in rows {
        let error = load("", &[(variable, value)], Vec::new()).unwrap_err();
        assert!(error.contains(told) && error.contains(variable), "{error}");
    }
}

#[test]
fn unknown_keys_are_errors() {
    for file in ["[server]\nlisen = \"x\"\n", "[sever]\n", "[providers.x]\nkind = \"openai\"\nkey = \"k\"\n"]
    {
        assert!(load(file, &[], Vec::new()).is_err(), "{file}");
    }
    assert!(load("", &[("ACCORD_SERVER__LISEN", "x")], Vec::new()).is_err());
    assert!(load("", &[("ACCORD_CODEX_BIN", "x")], Vec::new()).is_ok());
}

#[test]
fn wrong_values_say_where_they_came_from() {
    let error = load("", &[("ACCORD_QUEUE__LEASE_SECONDS", "soon")], Vec::new()).unwrap_err();
    assert!(error.contains("ACCORD_QUEUE__LEASE_SECONDS") && error.contains("soon"), "{error}");
    let error = load("[queue]\nlease_seconds = \"soon\"\n", &[], Vec::new()).unwrap_err();
    assert!(error.contains("queue.lease_seconds") && error.contains("accord.toml"), "{error}");
    for (file, variable, told) in [
        ("", "ACCORD_NOPE__X", "unknown setting nope (from ACCORD_NOPE__X)"),
        ("", "ACCORD_SERVER__LISEN", "unknown setting server.lisen (from ACCORD_SERVER__LISEN)"),
        (
            "",
            "ACCORD_PROVIDERS__LAB__BASE_URL",
            "invalid setting providers.lab (from ACCORD_PROVIDERS__LAB__BASE_URL)",
        ),
        ("[server]\nlisten = \"a\"\n", "ACCORD_SERVER__LISTEN__PORT", "(from ACCORD_SERVER__LISTEN__PORT)"),
        (
            "[providers.lab]\nkind = \"ollama\"\nheaders = { \"x.y\" = 1 }\n",
            "ACCORD_CODEX_BIN",
            "accord.toml)",
        ),
    ] {
        let error = load(file, &[(variable, "x")], Vec::new()).unwrap_err();
        assert!(error.contains(told), "{told}: {error}");
    }
}

#[test]
fn mistyped_names_get_a_suggestion() {
    for (file, expected) in [
        ("[server]\nlisen = \"a\"\n", "did you mean server.listen?"),
        ("[severs]\n[severs.a]\nb = 1\n", "did you mean server?"),
        ("[enforcement]\nstrategy = \"promt\"\n", "did you mean 'prompt'?"),
        ("[log]\ncolour = 1\n", "expected one of log.filter, log.format"),
    ] {
        let error = load(file, &[], Vec::new()).unwrap_err();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn wrong_types_are_described_in_words() {
    let whole = "expected an integer from 0 to 4294967295";
    for (file, told) in [
        ("[queue]\nlease_seconds = -1\n", format!("{whole}, got -1")),
        ("[queue]\nlease_seconds = 1000000000000\n", format!("{whole}, got 1000000000000")),
        ("[queue]\nlease_seconds = 30.0\n", format!("{whole}, got 30.0")),
        (
            "[queue]\nlease_seconds = \"a, expected b\"\n",
            format!("{whole}, got the string \\\"a, expected b\\\""),
        ),
        ("[server]\nlisten = { port = 1 }\n", "expected a string, got a table".to_owned()),
        ("[server]\nrequest_limit_bytes = -1\n", "expected an integer, 0 or more, got -1".to_owned()),
        ("[runner]\ntags = true\n", "expected a list, got true".to_owned()),
        ("queue = 1\n", "expected a table, got 1".to_owned()),
    ] {
        let error = load(file, &[], Vec::new()).unwrap_err();
        assert!(error.contains(&told), "{told}: {error}");
    }
}

#[test]
fn extract_json_accepts_a_list() {
    let fence = ExtractJson { fence: true, prose: false };
    let variable = "SCHEMA_ENFORCEMENT_EXTRACT_JSON";
    for (file, variables, expected) in [
        ("[enforcement]\nextract_json = true\n", vec![], ExtractJson::ALL),
        ("[enforcement]\nextract_json = []\n", vec![], ExtractJson::NONE),
        ("[enforcement]\nextract_json = [\"fence\"]\n", vec![], fence),
        ("", vec![(variable, "off")], ExtractJson::NONE),
        ("", vec![(variable, "fence")], fence),
        ("", vec![("ACCORD_ENFORCEMENT__EXTRACT_JSON", "fence, prose")], ExtractJson::ALL),
    ] {
        let config = load(file, &variables, Vec::new()).unwrap();
        assert_eq!(config.values.enforcement.extract_json, expected, "{file}{variables:?}");
    }
    for (file, variables, told) in [
        ("[enforcement]\nextract_json = [\"table\"]\n", vec![], "expected 'fence' or 'prose', got 'table'"),
        ("", vec![(variable, "maybe")], "expected 'fence' or 'prose', got 'maybe'"),
        (
            "[enforcement]\nextract_json = 1\n",
            vec![],
            "expected true, false, or a list of 'fence' and 'prose', got 1",
        ),
    ] {
        let error = load(file, &variables, Vec::new()).unwrap_err();
        assert!(error.contains(told) && error.contains("enforcement.extract_json"), "{told}: {error}");
    }
    let confirm = load("[enforcement]\nembedded = \"confirm\"\n", &[], Vec::new()).unwrap();
    assert_eq!(confirm.values.enforcement.embedded, Embedded::Confirm);
}

#[test]
fn an_empty_section_sets_nothing() {
    let config = load("[runner]\n[server]\n", &[], Vec::new()).unwrap();
    assert_eq!(config.origin("runner.coordinator"), Origin::Default);
    assert_eq!(config.origin("server.listen"), Origin::Default);
}

#[test]
fn a_header_names_its_origin() {
    let file = "[providers.lab]\nkind = \"ollama\"\n[providers.lab.headers]\nX-Team = \"hush\"\n\"x.y\" = \"hush\"\n";
    let variable = "ACCORD_PROVIDERS__LAB__HEADERS__TOKEN";
    let config = load(file, &[(variable, "12345")], Vec::new()).unwrap();
    assert_eq!(config.values.providers["lab"].headers["token"], "12345");
    for name in ["X-Team", "x.y"] {
        let origin = config.origin(&format!("providers.lab.headers.{name}"));
        assert!(matches!(&origin, Origin::File(file) if file.ends_with("accord.toml")), "{origin:?}");
    }
    assert_eq!(config.origin("providers.lab.headers.token"), Origin::Variable(variable.to_owned()));
    let explained = format!("{:?}", config.explain());
    assert!(!explained.contains("hush") && !explained.contains("12345"), "{explained}");
}

#[test]
fn errors_contain_no_secrets() {
    let lab = "[providers.lab]\nkind = \"ollama\"\n";
    for (file, told) in [
        ("[runner]\nkey = 98765\n".to_owned(), "expected a string"),
        (format!("{lab}headers = 98765\n"), "expected a table of strings"),
        (format!("{lab}headers = {{ token = 98765 }}\n"), "expected a string"),
        ("[runner]\nkey = \"98765\n".to_owned(), "accord.toml:2:13 is not valid TOML: "),
        ("[runner]\nkey = 98765 secret\n".to_owned(), "accord.toml:2:7 is not valid TOML: "),
    ] {
        let error = load(&file, &[], Vec::new()).unwrap_err();
        assert!(error.contains(told) && error.contains("accord.toml"), "{told}: {error}");
        assert!(!error.contains("98765") && !error.contains("secret"), "{error}");
    }
    let variable = "ACCORD_PROVIDERS__LAB__HEADERS";
    let error = load(lab, &[(variable, "token=98765")], Vec::new()).unwrap_err();
    assert!(error.contains("expected a table of strings") && error.contains(variable), "{error}");
    assert!(!error.contains("98765"), "{error}");
}

#[test]
fn secrets_are_not_shown() {
    let file = "[runner]\nkey = \"accord_secret\"\n[database]\nurl = \"postgres://me:pass@host/db\"\n";
    let explained = format!("{:?}", load(file, &[], Vec::new()).unwrap().explain());
    assert!(!explained.contains("accord_secret") && !explained.contains("pass@"), "{explained}");
    assert!(explained.contains("postgres://me:(hidden)@host/db"), "{explained}");
}

#[test]
fn prices_have_a_range() {
    let file = |price: &str| format!("[prices]\n\"lab/m-1.5\" = {{ input = {price}, output = 1 }}\n");
    for price in ["0", "0.0", "1e6"] {
        assert!(load(&file(price), &[], Vec::new()).is_ok(), "{price}");
    }
    for (price, told) in
        [("-1", "-1"), ("nan", "NaN"), ("inf", "inf"), ("-inf", "-inf"), ("1000000.5", "1000000.5")]
    {
        let error = load(&file(price), &[], Vec::new()).unwrap_err();
        let expected = format!("prices.lab/m-1.5.input: expected 0 to 1000000, got {told}");
        assert!(error.contains(&expected) && error.contains("accord.toml"), "{error}");
    }
    let cached = "[prices]\n\"lab/*\" = { input = 1, output = 1, cache_read = -0.5 }\n";
    let error = load(cached, &[], Vec::new()).unwrap_err();
    assert!(error.contains("prices.lab/*.cache_read: expected 0 to 1000000, got -0.5"), "{error}");
    let error = load("[prices]\nm = { input = 1, output = 1 }\n", &[], Vec::new()).unwrap_err();
    assert!(error.contains("prices.m: expected a name PROVIDER/MODEL"), "{error}");
    let explained = load(&file("2"), &[], Vec::new()).unwrap().explain();
    let input = explained.iter().find(|(key, ..)| key == "prices.lab/m-1.5.input").unwrap();
    assert!(input.1 == "2.0" && input.2 != Origin::Default, "{input:?}");
}

#[test]
fn a_provider_is_read_completely() {
    let file = "[providers.lab]\nkind = \"openai-compatible\"\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \"LAB\"\nauth = \"bearer\"\napi_version = \"2026-01-01\"\nschema_profile = \"llama.cpp\"\n[providers.lab.headers]\nX-Team = \"a.b\"\n";
    let config = load(file, &[], Vec::new()).unwrap();
    let expected = Provider {
        kind: ProviderKind::OpenAiCompatible,
        base_url: Some("http://127.0.0.1:9/v1".into()),
        api_key_env: Some("LAB".into()),
        auth: Auth::Bearer,
        api_version: Some("2026-01-01".into()),
        schema_profile: Some("llama.cpp".into()),
        headers: [("X-Team".to_owned(), "a.b".to_owned())].into(),
    };
    assert_eq!(config.values.providers.get("lab"), Some(&expected));
}

#[test]
fn the_name_of_a_provider_may_have_a_dot() {
    let file =
        "[providers.\"llama.cpp\"]\nkind = \"openai-compatible\"\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    let config = load(file, &[], Vec::new()).unwrap();
    let address = config.values.providers.get("llama.cpp").and_then(|provider| provider.base_url.as_deref());
    assert_eq!(address, Some("http://127.0.0.1:9/v1"));
    assert!(matches!(config.origin("providers.llama.cpp.base_url"), Origin::File(_)));
    let error = load(&file.replace("base_url", "base_ulr"), &[], Vec::new()).unwrap_err();
    assert!(format!("{error:?}").contains("providers.llama.cpp.base_ulr"), "{error:?}");
}

#[test]
fn paths_are_relative_to_the_home_folder_or_the_project() {
    let find = |text: &str| path(text, Path::new("/project"), Some(Path::new("/me")));
    let cases =
        [("~", "/me"), ("~/.cargo", "/me/.cargo"), ("/", "/"), ("/a", "/a"), ("../b", "/project/../b")];
    for (text, expected) in cases {
        assert_eq!(find(text), Path::new(expected), "{text}");
    }
}

#[test]
fn retry_settings_of_providers_are_read() {
    let config = load("", &[], Vec::new()).unwrap();
    assert_eq!(config.values.retry, Retry { for_seconds: 90, max_attempts: None });
    let variables = [("ACCORD_RETRY__FOR_SECONDS", "600"), ("ACCORD_RETRY__MAX_ATTEMPTS", "7")];
    let config = load("[retry]\nfor_seconds = 5\n", &variables, Vec::new()).unwrap();
    assert_eq!(config.values.retry, Retry { for_seconds: 600, max_attempts: Some(7) });
    for (file, told) in [
        ("[retry]\nfor_seconds = 86401\n", "retry.for_seconds: expected 0 to 86400, got 86401"),
        ("[retry]\nmax_attempts = 0\n", "retry.max_attempts: expected 1 or more, got 0"),
    ] {
        let error = load(file, &[], Vec::new()).unwrap_err();
        assert!(error.contains(told), "{error}");
    }
}
