//! Server-side apply of two managers.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, Patch, PatchParams},
};
use serde_json::{Value, json};

use crate::refusal::refused;

fn applied(data: Value) -> Patch<Value> {
    Patch::Apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "applied" }, "data": data }))
}

pub async fn run(client: Client) -> Result<()> {
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let (first, second) = (PatchParams::apply("first"), PatchParams::apply("second"));
    maps.patch("applied", &first, &applied(json!({ "a": "1", "b": "1" }))).await?;
    maps.patch("applied", &second, &applied(json!({ "c": "2" }))).await?;
    let conflict = maps.patch("applied", &second, &applied(json!({ "a": "2", "c": "2" }))).await;
    ensure!(refused("apply of another manager's field", conflict)?.code == 409);
    let forced = maps.patch("applied", &second.clone().force(), &applied(json!({ "a": "2", "c": "2" }))).await?;
    ensure!(forced.data.as_ref().and_then(|data| data.get("a")).is_some_and(|value| value == "2"));
    // The first manager no longer sends `b`, which only it owns, nor `a`, which it lost.
    let emptied = maps.patch("applied", &first, &applied(json!({}))).await?;
    let keys: Vec<_> = emptied.data.iter().flatten().map(|(key, _)| key.as_str()).collect();
    ensure!(keys == ["a", "c"], "data has {keys:?}");
    let managers: Vec<_> = emptied.managed_fields().iter().filter_map(|entry| entry.manager.as_deref()).collect();
    println!("said managers of the object: {managers:?}");
    let owned = emptied.managed_fields().iter().find(|entry| entry.manager.as_deref() == Some("second"));
    let fields = &owned.context("the second manager owns nothing")?.fields_v1;
    println!("said fields of the second manager: {}", json!(fields));
    let typo =
        Patch::Apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "applied" }, "dta": {} }));
    refused("apply of an unknown field", maps.patch("applied", &second, &typo).await)?;
    maps.delete("applied", &DeleteParams::default()).await?;
    Ok(())
}
