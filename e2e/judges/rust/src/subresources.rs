//! Status, logs and eviction of a Pod that no node runs.

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, Client,
    api::{EvictParams, LogParams, Patch, PatchParams, PostParams},
};
use serde_json::json;

use crate::refusal::refused;

pub async fn run(client: Client) -> Result<()> {
    let pods: Api<Pod> = Api::default_namespaced(client);
    let pod = serde_json::from_value(json!({
        "metadata": { "name": "rust" },
        "spec": { "containers": [{ "name": "main", "image": "nginx" }] },
    }))?;
    let created = pods.create(&PostParams::default(), &pod).await?;
    ensure!(created.status.and_then(|status| status.phase).as_deref() == Some("Pending"));
    let running = Patch::Strategic(json!({ "status": { "conditions": [{ "type": "Ready", "status": "True" }] } }));
    let patched = pods.patch_status("rust", &PatchParams::default(), &running).await?;
    let conditions = patched.status.and_then(|status| status.conditions).unwrap_or_default();
    ensure!(conditions.iter().any(|condition| condition.type_ == "Ready"), "conditions {conditions:?}");
    let image = Patch::Strategic(json!({ "spec": { "containers": [{ "name": "main", "command": ["sh"] }] } }));
    refused("change of a command", pods.patch("rust", &PatchParams::default(), &image).await)?;
    println!("said logs of a pod without a node: {:?}", pods.logs("rust", &LogParams::default()).await?);
    let other = LogParams { container: Some("other".into()), ..LogParams::default() };
    refused("logs of a container that does not exist", pods.logs("rust", &other).await)?;
    let evicted = pods.evict("rust", &EvictParams::default()).await?;
    println!("said eviction: {:?} {:?}", evicted.status, evicted.code);
    refused("eviction of a pod that does not exist", pods.evict("rust", &EvictParams::default()).await)?;
    Ok(())
}
