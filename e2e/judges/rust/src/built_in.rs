//! Create, read, change, list and delete objects of built-in kinds.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Namespace, Secret},
};
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, PropagationPolicy},
};
use serde_json::json;

use crate::refusal::refused;

fn settings(name: &str) -> ConfigMap {
    let mut settings = ConfigMap { data: Some(BTreeMap::from([("a".into(), "1".into())])), ..ConfigMap::default() };
    settings.metadata.name = Some(name.into());
    settings.labels_mut().insert("by".into(), "rust".into());
    settings
}

pub async fn run(client: Client) -> Result<()> {
    let version = client.apiserver_version().await?;
    ensure!(version.major == "1", "version {version:?}");
    let namespaces: Api<Namespace> = Api::all(client.clone());
    ensure!(namespaces.get("default").await?.status.and_then(|status| status.phase).as_deref() == Some("Active"));
    config_maps(Api::default_namespaced(client.clone())).await?;
    secrets(Api::default_namespaced(client.clone())).await?;
    deployments(Api::default_namespaced(client)).await
}

async fn config_maps(maps: Api<ConfigMap>) -> Result<()> {
    let created = maps.create(&PostParams::default(), &settings("rust")).await?;
    refused("create of an object that exists", maps.create(&PostParams::default(), &settings("rust")).await)?;
    let merge = Patch::Merge(json!({ "data": { "b": "2" } }));
    let patched = maps.patch("rust", &PatchParams::default(), &merge).await?;
    ensure!(patched.data.as_ref().is_some_and(|data| data.len() == 2), "data {:?}", patched.data);
    refused("update of a stale version", maps.replace("rust", &PostParams::default(), &created).await)?;
    let mut entry = maps.entry("rust").await?.and_modify(|map| {
        map.data.get_or_insert_default().insert("c".into(), "3".into());
    });
    if let kube::api::entry::Entry::Occupied(occupied) = &mut entry {
        occupied.commit(&PostParams::default()).await?;
    }
    let metadata = maps.get_metadata("rust").await?;
    ensure!(metadata.labels().get("by").is_some_and(|value| value == "rust"));
    for name in ["rust-1", "rust-2", "rust-3"] {
        maps.create(&PostParams::default(), &settings(name)).await?;
    }
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    maps.create(&dry, &settings("rust-dry")).await?;
    ensure!(maps.get_opt("rust-dry").await?.is_none(), "a dry run stored an object");
    let params = ListParams::default().labels("by=rust").limit(3);
    let page = maps.list(&params).await?;
    let token = page.metadata.continue_.clone().unwrap_or_default();
    let rest = maps.list(&params.clone().continue_token(&token)).await?;
    ensure!(page.items.len() == 3 && rest.items.len() == 1, "pages of {} and {}", page.items.len(), rest.items.len());
    maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("by=rust")).await?;
    refused("get of a deleted object", maps.get("rust").await)?;
    Ok(())
}

async fn secrets(secrets: Api<Secret>) -> Result<()> {
    let mut secret = Secret { string_data: Some(BTreeMap::from([("k".into(), "v".into())])), ..Secret::default() };
    secret.metadata.generate_name = Some("rust-".into());
    let created = secrets.create(&PostParams::default(), &secret).await?;
    let value = created.data.as_ref().and_then(|data| data.get("k")).map(|bytes| bytes.0.as_slice());
    ensure!(value == Some(b"v"), "data {:?}", created.data);
    secrets.delete(&created.name_any(), &DeleteParams::default()).await?;
    Ok(())
}

async fn deployments(deployments: Api<Deployment>) -> Result<()> {
    let labels = json!({ "app": "rust" });
    let deployment = |selected: &serde_json::Value| {
        serde_json::from_value::<Deployment>(json!({
            "metadata": { "name": "rust" },
            "spec": {
                "selector": { "matchLabels": selected },
                "template": {
                    "metadata": { "labels": labels },
                    "spec": { "containers": [{ "name": "main", "image": "nginx" }] },
                },
            },
        }))
    };
    let other = deployment(&json!({ "app": "other" }))?;
    refused("create of an invalid Deployment", deployments.create(&PostParams::default(), &other).await)?;
    deployments.create(&PostParams::default(), &deployment(&labels)?).await?;
    let scale = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
    deployments.patch_scale("rust", &PatchParams::default(), &scale).await?;
    let scaled = deployments.get_scale("rust").await?;
    ensure!(scaled.spec.and_then(|spec| spec.replicas) == Some(3));
    let image = json!([{ "op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:2" }]);
    let patch: Patch<()> = Patch::Json(serde_json::from_value(image)?);
    let changed = deployments.patch("rust", &PatchParams::default(), &patch).await?;
    ensure!(changed.metadata.generation == Some(3), "generation {:?}", changed.metadata.generation);
    let test = json!([{ "op": "test", "path": "/spec/replicas", "value": 7 }]);
    let patch: Patch<()> = Patch::Json(serde_json::from_value(test)?);
    refused("JSON patch whose test fails", deployments.patch("rust", &PatchParams::default(), &patch).await)?;
    let background =
        DeleteParams { propagation_policy: Some(PropagationPolicy::Background), ..DeleteParams::default() };
    deployments.delete("rust", &background).await?;
    Ok(())
}
