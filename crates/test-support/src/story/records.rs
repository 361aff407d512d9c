//! Named records: agents, schemas, keys, runners, facts.

use std::sync::Arc;

use accord_domain::evidence::{Evidence, HALF_LIFE, Observation, Observed};
use accord_domain::id::KeyId;
use accord_domain::key::{Key, Role};
use accord_domain::runner::{Profile, Runner};
use accord_store::{
    Condition, ContractRecord, Defined, DocumentRecord, Fact, FactFilter, Finish, Idempotency,
    MOST_CONTRACTS, MOST_PAGE_BYTES, Page, PageRequest, SchemaRecord, Store, StoreError,
};

use super::make::*;

fn agent(name: &str, hash: &str, seconds: i64) -> DocumentRecord {
    DocumentRecord {
        name: name.to_owned(),
        document: format!(r#"{{"name":"{name}","version":"{hash}","z":1.50,"a":2}}"#),
        hash: hash.to_owned(),
        created_at: at(seconds),
        modified_at: at(seconds),
    }
}

fn promise(fingerprint: &str, response: &str) -> Option<Idempotency> {
    Some(Idempotency {
        scope: "s".into(),
        key: "key".into(),
        fingerprint: fingerprint.to_owned(),
        response: response.to_owned(),
    })
}

/// Agents are written, replaced, listed by name and removed, each under a precondition.
pub async fn agents_are_kept_under_conditions(store: Arc<dyn Store>) {
    use Condition::{Absent, Any, Present, Unchanged};
    let no_such = |error: Option<StoreError>| matches!(error, Some(StoreError::NoSuch { kind: "agent", name }) if name == "b");
    let changed = |error: Option<StoreError>| matches!(error, Some(StoreError::Changed { kind: "agent", name }) if name == "b");
    assert_eq!(store.definition(Defined::Agent, "b").await.unwrap(), None);
    assert!(no_such(store.put_definition(Defined::Agent, agent("b", "1", 0), Present, None).await.err()));
    assert!(no_such(
        store.put_definition(Defined::Agent, agent("b", "1", 0), Unchanged("1".into()), None).await.err()
    ));
    assert_eq!(store.put_definition(Defined::Agent, agent("b", "1", 0), Absent, None).await.unwrap(), None);
    assert_eq!(store.definition(Defined::Agent, "b").await.unwrap(), Some(agent("b", "1", 0)));

    let exists = store.put_definition(Defined::Agent, agent("b", "2", 5), Absent, None).await;
    assert!(matches!(exists, Err(StoreError::Exists { kind: "agent", name }) if name == "b"));
    assert!(changed(
        store.put_definition(Defined::Agent, agent("b", "2", 5), Unchanged("0".into()), None).await.err()
    ));
    assert_eq!(store.definition(Defined::Agent, "b").await.unwrap(), Some(agent("b", "1", 0)));
    for (second, hash, condition) in [(5, "2", Unchanged("1".into())), (6, "3", Present), (7, "4", Any)] {
        store.put_definition(Defined::Agent, agent("b", hash, second), condition, None).await.unwrap();
        let kept = DocumentRecord { created_at: at(0), ..agent("b", hash, second) };
        assert_eq!(store.definition(Defined::Agent, "b").await.unwrap(), Some(kept));
    }
    store.put_definition(Defined::Agent, agent("c", "1", 8), Any, None).await.unwrap();
    store.put_definition(Defined::Agent, agent("a", "1", 9), Any, None).await.unwrap();
    let names: Vec<_> =
        store.definitions(Defined::Agent).await.unwrap().into_iter().map(|agent| agent.name).collect();
    assert_eq!(names, ["a", "b", "c"]);

    assert!(changed(store.remove_definition(Defined::Agent, "b", Unchanged("1".into())).await.err()));
    store.remove_definition(Defined::Agent, "b", Unchanged("4".into())).await.unwrap();
    assert_eq!(store.definition(Defined::Agent, "b").await.unwrap(), None);
    for condition in [Any, Present, Unchanged("4".into())] {
        assert!(no_such(store.remove_definition(Defined::Agent, "b", condition).await.err()));
    }
    store.remove_definition(Defined::Agent, "a", Any).await.unwrap();
    store.remove_definition(Defined::Agent, "c", Present).await.unwrap();
    assert_eq!(store.definitions(Defined::Agent).await.unwrap(), []);
}

/// A repeated request gets the first answer and writes nothing, even if its precondition no longer
/// holds.
pub async fn agents_are_created_once(store: Arc<dyn Store>) {
    let put = |hash: &str, promise| {
        store.put_definition(Defined::Agent, agent("a", hash, 0), Condition::Absent, promise)
    };
    assert_eq!(put("1", promise("f", "first")).await.unwrap(), None);
    assert_eq!(put("2", promise("f", "second")).await.unwrap(), Some("first".into()));
    let other = put("2", promise("g", "second")).await;
    assert!(matches!(other, Err(StoreError::IdempotencyConflict(key)) if key == "key"));
    assert_eq!(store.definition(Defined::Agent, "a").await.unwrap(), Some(agent("a", "1", 0)));
    store.forget_idempotency_keys(at(1)).await.unwrap();
    assert!(matches!(put("2", promise("g", "second")).await, Err(StoreError::Exists { .. })));
}

/// Of many concurrent requests to create the same agent, exactly one succeeds.
pub async fn one_of_many_creates_an_agent(store: Arc<dyn Store>) {
    let mut callers = Vec::new();
    for number in 0..8 {
        let store = Arc::clone(&store);
        let agent = agent("a", &number.to_string(), 0);
        callers.push(tokio::spawn(async move {
            let put = store.put_definition(Defined::Agent, agent.clone(), Condition::Absent, None).await;
            assert!(matches!(put, Ok(None) | Err(StoreError::Exists { .. })), "{put:?}");
            put.ok().map(|_| agent)
        }));
    }
    let mut made = Vec::new();
    for caller in callers {
        made.extend(caller.await.unwrap());
    }
    assert_eq!(made.len(), 1);
    assert_eq!(store.definitions(Defined::Agent).await.unwrap(), made);
}

fn schema(name: &str, description: &str, hash: &str, seconds: i64) -> SchemaRecord {
    SchemaRecord {
        name: name.to_owned(),
        description: description.to_owned(),
        document: r#"{"type":"object","z":1.50,"a":2}"#.into(),
        hash: hash.to_owned(),
        created_at: at(seconds),
        modified_at: at(seconds),
    }
}

/// A schema is immutable; only its description can be changed.
pub async fn schemas_are_immutable(store: Arc<dyn Store>) {
    assert_eq!(store.schema("a").await.unwrap(), None);
    let first = schema("a", "one", "1", 0);
    assert_eq!(store.add_schema(first.clone(), None).await.unwrap(), first);
    assert_eq!(store.add_schema(schema("a", "one", "1", 5), None).await.unwrap(), first);
    let other = store.add_schema(schema("a", "two", "2", 6), None).await;
    assert!(matches!(other, Err(StoreError::Exists { kind: "schema", name }) if name == "a"));
    let described = SchemaRecord { description: "two".into(), modified_at: at(7), ..first };
    assert_eq!(store.add_schema(schema("a", "two", "1", 7), None).await.unwrap(), described);
    assert_eq!(store.schema("a").await.unwrap(), Some(described));

    store.remove_schema("a").await.unwrap();
    assert_eq!(store.schema("a").await.unwrap(), None);
    let removed = store.remove_schema("a").await;
    assert!(matches!(removed, Err(StoreError::NoSuch { kind: "schema", name }) if name == "a"));
    let anew = schema("a", "x", "2", 9);
    assert_eq!(store.add_schema(anew.clone(), None).await.unwrap(), anew);
}

/// A repeated request writes nothing.
pub async fn schemas_are_created_once(store: Arc<dyn Store>) {
    let first = schema("a", "one", "1", 0);
    assert_eq!(store.add_schema(first.clone(), promise("f", "x")).await.unwrap(), first);
    let again = store.add_schema(schema("a", "two", "1", 5), promise("f", "x")).await.unwrap();
    assert_eq!(again, first);
    let other = store.add_schema(schema("b", "two", "1", 5), promise("g", "x")).await;
    assert!(matches!(other, Err(StoreError::IdempotencyConflict(_))));
    assert_eq!(store.schema("b").await.unwrap(), None);
    // The answer is the first one, whatever happened to the schema since.
    store.add_schema(schema("a", "two", "1", 6), None).await.unwrap();
    assert_eq!(store.add_schema(schema("a", "one", "1", 7), promise("f", "x")).await.unwrap(), first);
    store.remove_schema("a").await.unwrap();
    assert_eq!(store.add_schema(schema("a", "one", "1", 8), promise("f", "x")).await.unwrap(), first);
    assert_eq!(store.schema("a").await.unwrap(), None);
}

/// Schemas are listed by name with any page size.
pub async fn schemas_are_listed_by_name(store: Arc<dyn Store>) {
    for name in ["c", "a", "a.b", "e", "d"] {
        store.add_schema(schema(name, "", "1", 0), None).await.unwrap();
    }
    for limit in [1, 2, 5, 9] {
        let mut page = PageRequest { limit, cursor: None };
        let mut names = Vec::new();
        loop {
            let given = store.schemas(&page).await.unwrap();
            names.extend(given.items.into_iter().map(|schema| schema.name));
            match given.next {
                None => break,
                cursor => page.cursor = cursor,
            }
        }
        assert_eq!(names, ["a", "a.b", "c", "d", "e"]);
    }
}

/// Large documents fill a page before it has as many as are asked for.
pub async fn large_schemas_come_a_few_a_page(store: Arc<dyn Store>) {
    let names = ["a", "b", "c", "d", "e"];
    for name in names {
        let document = format!("\"{}\"", "x".repeat(MOST_PAGE_BYTES / 3));
        store.add_schema(SchemaRecord { document, ..schema(name, "", "1", 0) }, None).await.unwrap();
    }
    let first = store.schemas(&PageRequest { limit: 100, cursor: None }).await.unwrap();
    let second = store.schemas(&PageRequest { limit: 100, cursor: first.next.clone() }).await.unwrap();
    let names_of = |page: &Page<SchemaRecord>| -> Vec<String> {
        page.items.iter().map(|schema| schema.name.clone()).collect()
    };
    assert_eq!(names_of(&first), names[..3]);
    assert_eq!(names_of(&second), names[3..]);
    assert_eq!(second.next, None);
}

/// Keys are stored unchanged and listed oldest first.
pub async fn keys_are_kept(store: Arc<dyn Store>) {
    let roles = [Role::Admin, Role::Caller, Role::Runner, Role::Viewer];
    let keys: Vec<Key> = (0..4)
        .zip(roles)
        .map(|(number, role)| Key {
            id: KeyId::new(format!("{}", 9 - number)),
            name: format!("für {role}"),
            role,
            hash: format!("{number}abc"),
            created_at: at(number),
            expires_at: (number > 1).then(|| at(number + 100)),
            last_used_at: None,
        })
        .collect();
    for key in &keys {
        store.add_key(key.clone()).await.unwrap();
    }
    assert_eq!(store.keys().await.unwrap(), keys);
    let first = keys.first().unwrap();
    let taken = store.add_key(first.clone()).await;
    assert!(matches!(taken, Err(StoreError::Exists { kind: "key", .. })));
    store.remove_key(&first.id).await.unwrap();
    assert_eq!(store.keys().await.unwrap(), keys.get(1..).unwrap());
    assert!(matches!(store.remove_key(&first.id).await, Err(StoreError::NoSuch { kind: "key", .. })));
}

/// The last use of a key is stored, and an earlier one does not replace it.
pub async fn the_last_use_of_keys_is_kept(store: Arc<dyn Store>) {
    let key = |name: &str| Key {
        id: KeyId::new(name),
        name: name.to_owned(),
        role: Role::Caller,
        hash: name.to_owned(),
        created_at: at(0),
        expires_at: None,
        last_used_at: None,
    };
    for name in ["a", "b"] {
        store.add_key(key(name)).await.unwrap();
    }
    store.mark_keys_used(&[]).await.unwrap();
    store.mark_keys_used(&[(KeyId::new("a"), at(5)), (KeyId::new("gone"), at(5))]).await.unwrap();
    store.mark_keys_used(&[(KeyId::new("a"), at(4))]).await.unwrap();
    let used = |second| Key { last_used_at: Some(at(second)), ..key("a") };
    assert_eq!(store.keys().await.unwrap(), [used(5), key("b")]);
    store.mark_keys_used(&[(KeyId::new("a"), at(6))]).await.unwrap();
    assert_eq!(store.keys().await.unwrap(), [used(6), key("b")]);
}

/// Runners register, register again, and leave.
pub async fn runners_are_kept(store: Arc<dyn Store>) {
    assert_eq!(store.runner(&runner_id("a")).await.unwrap(), None);
    for (second, name) in ["a", "b", "c"].into_iter().enumerate() {
        store.register_runner(runner(name, i64::try_from(second).unwrap())).await.unwrap();
    }
    assert_eq!(store.runner(&runner_id("b")).await.unwrap(), Some(runner("b", 1)));
    let all = [runner("c", 2), runner("b", 1), runner("a", 0)];
    assert_eq!(store.runners().await.unwrap(), all);

    let again = Runner { profile: Profile { hostname: "new".into(), ..profile() }, ..runner("a", 9) };
    store.register_runner(again.clone()).await.unwrap();
    assert_eq!(store.runner(&runner_id("a")).await.unwrap(), Some(again.clone()));
    store.remove_runner(&runner_id("b")).await.unwrap();
    assert_eq!(store.runners().await.unwrap(), [again.clone(), runner("c", 2)]);
    let gone = store.remove_runner(&runner_id("b")).await;
    assert!(matches!(gone, Err(StoreError::NoSuch { kind: "runner", .. })));

    store.forget(at(5)).await.unwrap();
    assert_eq!(store.runners().await.unwrap(), [again]);
}

fn observation(endpoint: &str, model: &str, observed: Observed, seconds: i64) -> Observation {
    Observation {
        endpoint: endpoint.to_owned(),
        model: model.to_owned(),
        feature: "native".into(),
        observed,
        at: at(seconds),
    }
}

fn fact(endpoint: &str, model: &str, feature: &str, (good, bad, seconds): (f64, f64, i64)) -> Fact {
    Fact {
        endpoint: endpoint.to_owned(),
        model: model.to_owned(),
        feature: feature.to_owned(),
        evidence: Evidence { good, bad, at: at(seconds) },
    }
}

async fn observe(store: &Arc<dyn Store>, name: &str, observations: Vec<Observation>) {
    let holder = begin(store, fresh(name)).await;
    store.finish_run(Finish { observations, ..finish(&holder, completed("x"), 30) }).await.unwrap();
}

/// Observations add up, and old ones count less.
pub async fn observations_are_merged(store: Arc<dyn Store>) {
    let day = HALF_LIFE.as_secs();
    let tool = Observation { feature: "tool".into(), ..observation("e", "m", Observed::Refused, 0) };
    observe(&store, "a", vec![observation("e", "m", Observed::Works, 0), tool]).await;
    observe(&store, "b", vec![observation("e", "m", Observed::Ignored, 0)]).await;
    let twice =
        vec![observation("e", "m", Observed::Ignored, day), observation("e", "m", Observed::Ignored, day)];
    observe(&store, "c", twice).await;
    observe(&store, "d", vec![observation("f", "n", Observed::Works, 5)]).await;
    let all = [
        fact("e", "m", "native", (0.5, 2.5, day)),
        fact("e", "m", "tool", (0.0, 12.0, 0)),
        fact("f", "n", "native", (1.0, 0.0, 5)),
    ];
    let models =
        |models: &[&str]| FactFilter::of_models(models.iter().map(|&each| each.to_owned()).collect());
    assert_eq!(store.facts(&FactFilter::default()).await.unwrap(), all);
    assert_eq!(store.facts(&models(&["m"])).await.unwrap(), all[..2]);
    assert_eq!(store.facts(&models(&["n", "x"])).await.unwrap(), all[2..]);
    assert_eq!(store.facts(&models(&[])).await.unwrap(), []);
}

/// No observation is lost if many are written at once.
pub async fn no_concurrent_observation_is_lost(store: Arc<dyn Store>) {
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..8 {
        let holder = begin(&store, fresh(&format!("n{number}"))).await;
        let store = Arc::clone(&store);
        let observations = vec![observation("e", "m", Observed::Ignored, 10)];
        tasks.spawn(async move {
            store.finish_run(Finish { observations, ..finish(&holder, completed("x"), 30) }).await.unwrap();
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let facts = store.facts(&FactFilter::default()).await.unwrap();
    assert_eq!(facts, [fact("e", "m", "native", (0.0, 8.0, 10))]);
}

/// Learned facts can be removed, all of them or some.
pub async fn facts_can_be_removed(store: Arc<dyn Store>) {
    let of = |endpoint: &str, model: &str, feature: &str| Observation {
        feature: feature.into(),
        ..observation(endpoint, model, Observed::Refused, 1)
    };
    let observations = vec![
        of("e", "m", "native"),
        of("e", "m", "native#sha256:a"),
        of("e", "m", "native_beside_tools"),
        of("e", "n", "native"),
        of("f", "m", "tool"),
    ];
    observe(&store, "a", observations).await;
    let filter = FactFilter {
        endpoint: Some("e".into()),
        models: Some(vec!["m".into()]),
        feature: Some("native".into()),
    };
    assert_eq!(store.forget_facts(&filter).await.unwrap(), 2);
    let left = store.facts(&FactFilter::default()).await.unwrap();
    let left: Vec<_> = left.iter().map(|fact| (&*fact.endpoint, &*fact.model, &*fact.feature)).collect();
    assert_eq!(left, [("e", "m", "native_beside_tools"), ("e", "n", "native"), ("f", "m", "tool")]);
    let of_model = FactFilter::of_models(vec!["m".into()]);
    assert_eq!(store.forget_facts(&of_model).await.unwrap(), 2);
    assert_eq!(store.forget_facts(&FactFilter::default()).await.unwrap(), 1);
    assert_eq!(store.facts(&FactFilter::default()).await.unwrap(), []);
}

/// Facts about single schemas expire, because schemas are many. Facts about endpoints are kept.
pub async fn facts_about_schemas_expire(store: Arc<dyn Store>) {
    let of = |feature: &str, seconds| Observation {
        feature: feature.into(),
        ..observation("e", "m", Observed::Refused, seconds)
    };
    observe(&store, "a", vec![of("native", 1), of("native#sha256:a", 1), of("native#sha256:b", 9)]).await;
    store.forget(at(5)).await.unwrap();
    let left = store.facts(&FactFilter::default()).await.unwrap();
    let kept = [fact("e", "m", "native", (0.0, 12.0, 1)), fact("e", "m", "native#sha256:b", (0.0, 12.0, 9))];
    assert_eq!(left, kept);
}

/// Contracts are found by agent and hash; those of an agent that were not written for the longest time are forgotten.
pub async fn the_last_contracts_are_kept(store: Arc<dyn Store>) {
    let contract = |agent: &str, number: u32| ContractRecord {
        agent_name: agent.to_owned(),
        hash: format!("{number}-1"),
        input: format!(r#"{{"minimum": {number}}}"#),
        output: (number > 0).then(|| r#"{"z": 1.50, "a": 2}"#.to_owned()),
    };
    for number in 0..MOST_CONTRACTS {
        store.keep_contract(contract("a", number)).await.unwrap();
    }
    store.keep_contract(contract("b", 1)).await.unwrap();
    assert_eq!(store.contract("a", "0-1").await.unwrap(), Some(contract("a", 0)));
    assert_eq!(store.contract("b", "0-1").await.unwrap(), None);

    // Written again, the first one is the newest.
    store.keep_contract(contract("a", 0)).await.unwrap();
    store.keep_contract(contract("a", MOST_CONTRACTS)).await.unwrap();
    assert_eq!(store.contract("a", "1-1").await.unwrap(), None);
    for number in [0, 2, MOST_CONTRACTS] {
        let found = store.contract("a", &format!("{number}-1")).await.unwrap();
        assert_eq!(found, Some(contract("a", number)));
    }
    assert_eq!(store.contract("b", "1-1").await.unwrap(), Some(contract("b", 1)));
}
