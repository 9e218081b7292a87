//! An object that is deleted only after a controller removed its finalizer.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    runtime::{
        conditions,
        controller::Action,
        finalizer::{Event, finalizer},
        wait::await_condition,
    },
};
use serde_json::json;

use crate::{
    definition::{Bridge, bridge},
    refusal::refused,
};

const FINALIZER: &str = "rust.example.com/cleanup";

pub async fn run(client: Client) -> Result<()> {
    let bridges: Api<Bridge> = Api::default_namespaced(client);
    let created = bridges.create(&PostParams::default(), &bridge("held", 2, 1)).await?;
    let uid = created.uid().context("no uid")?;
    reconcile(&bridges, created).await?;
    ensure!(bridges.get("held").await?.finalizers() == [FINALIZER]);
    let answer = bridges.delete("held", &DeleteParams::default()).await?;
    ensure!(answer.left().is_some_and(|object| object.metadata.deletion_timestamp.is_some()));
    let add = Patch::Merge(json!({ "metadata": { "finalizers": [FINALIZER, "rust.example.com/late"] } }));
    refused("new finalizer of a deleted object", bridges.patch("held", &PatchParams::default(), &add).await)?;
    reconcile(&bridges, bridges.get("held").await?).await?;
    await_condition(bridges.clone(), "held", conditions::is_deleted(&uid)).await?;
    refused("get of a finalized object", bridges.get("held").await)?;
    Ok(())
}

async fn reconcile(bridges: &Api<Bridge>, object: Bridge) -> Result<()> {
    let done = |event: Event<Bridge>| async move {
        let called = match event {
            Event::Apply(object) => format!("Apply {}", object.name_any()),
            Event::Cleanup(object) => format!("Cleanup {}", object.name_any()),
        };
        println!("said {called}");
        Ok::<_, std::convert::Infallible>(Action::await_change())
    };
    // The first call adds the finalizer, or lets the object go; the second one sees the result of the first.
    finalizer(bridges, FINALIZER, Arc::new(object), done).await?;
    if let Some(object) = bridges.get_opt("held").await? {
        finalizer(bridges, FINALIZER, Arc::new(object), done).await?;
    }
    Ok(())
}
