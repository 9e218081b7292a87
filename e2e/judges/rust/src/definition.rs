//! A kind that is defined by a Rust type, with rules in CEL.

use anyhow::{Context, Result, ensure};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, CustomResource, CustomResourceExt, KubeSchema,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
    runtime::{conditions, wait::await_condition},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::refusal::refused;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "rust.example.com",
    version = "v1",
    kind = "Bridge",
    namespaced,
    status = "BridgeStatus",
    shortname = "br",
    printcolumn = r#"{"name":"Lanes","type":"integer","jsonPath":".spec.lanes"}"#,
    scale(spec_replicas_path = ".spec.lanes", status_replicas_path = ".status.open"),
    validation = Rule::new("self.metadata.name != 'forbidden'").message("the name must not be forbidden")
)]
#[x_kube(validation = Rule::new("self.lanes >= self.minimum").message("lanes must not be fewer than minimum"))]
#[serde(rename_all = "camelCase")]
pub struct BridgeSpec {
    #[schemars(range(min = 1, max = 16))]
    pub lanes: i32,
    #[serde(default = "one")]
    pub minimum: i32,
    #[x_kube(validation = Rule::new("self == oldSelf").message("river is immutable"))]
    pub river: String,
}

#[derive(Serialize, Deserialize, Clone, Debug, Default, schemars::JsonSchema)]
pub struct BridgeStatus {
    pub open: i32,
}

fn one() -> i32 {
    1
}

pub fn bridge(name: &str, lanes: i32, minimum: i32) -> Bridge {
    Bridge::new(name, BridgeSpec { lanes, minimum, river: "Rhine".into() })
}

pub async fn run(client: Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = Bridge::crd_name();
    definitions.patch(name, &PatchParams::apply("rust-judge"), &Patch::Apply(Bridge::crd())).await?;
    await_condition(definitions, name, conditions::is_crd_established()).await?;
    let bridges: Api<Bridge> = Api::default_namespaced(client);
    served(&bridges).await?;
    let params = PostParams::default();
    refused("create that violates a rule", bridges.create(&params, &bridge("narrow", 1, 2)).await)?;
    refused("create that violates a rule of the object", bridges.create(&params, &bridge("forbidden", 2, 1)).await)?;
    refused("create that violates a maximum", bridges.create(&params, &bridge("wide", 99, 1)).await)?;
    let created = bridges.create(&params, &bridge("bridge", 2, 1)).await?;
    ensure!(created.metadata.generation == Some(1) && created.status.is_none());
    let river = Patch::Merge(json!({ "spec": { "river": "Elbe" } }));
    refused("change of an immutable field", bridges.patch("bridge", &PatchParams::default(), &river).await)?;
    let misspelt = json!({
        "apiVersion": "rust.example.com/v1", "kind": "Bridge", "metadata": { "name": "bridge" }, "spec": { "lane": 4 },
    });
    refused("apply of a field that is not declared", {
        bridges.patch("bridge", &PatchParams::apply("rust-judge").force(), &Patch::Apply(misspelt)).await
    })?;
    let open = Patch::Merge(json!({ "spec": { "lanes": 9 }, "status": { "open": 2 } }));
    let patched = bridges.patch_status("bridge", &PatchParams::default(), &open).await?;
    ensure!(patched.spec.lanes == 2 && patched.status.context("no status")?.open == 2, "status is not separate");
    ensure!(patched.metadata.generation == Some(1), "generation {:?}", patched.metadata.generation);
    let wrong = Patch::Merge(json!({ "status": { "open": "two" } }));
    refused("status of a wrong type", bridges.patch_status("bridge", &PatchParams::default(), &wrong).await)?;
    let lanes = Patch::Merge(json!({ "spec": { "replicas": 4 } }));
    let scale = bridges.patch_scale("bridge", &PatchParams::default(), &lanes).await?;
    ensure!(scale.status.context("no status")?.replicas == 2);
    ensure!(bridges.get("bridge").await?.spec.lanes == 4);
    bridges.delete("bridge", &DeleteParams::default()).await?;
    Ok(())
}

/// Waits until the server serves the kind, which can be shortly after the definition is Established.
async fn served(bridges: &Api<Bridge>) -> Result<()> {
    while let Err(error) = bridges.list(&ListParams::default()).await {
        ensure!(matches!(&error, kube::Error::Api(status) if status.code == 404), error);
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    Ok(())
}
