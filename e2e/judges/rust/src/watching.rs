//! Reflectors that list, or stream lists, and watch.

use std::{collections::BTreeMap, pin::pin};

use anyhow::{Context, Result, ensure};
use futures::{Stream, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
    runtime::{WatchStreamExt, reflector, watcher, watcher::Event},
};
use serde_json::json;

const OBJECTS: usize = 25;

fn labelled(name: &str, label: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.into());
    map.metadata.labels = Some(BTreeMap::from([("watched".into(), label.into())]));
    map
}

pub async fn run_list(client: Client) -> Result<()> {
    run(client, "list", watcher::Config::default().page_size(10)).await
}

pub async fn run_stream(client: Client) -> Result<()> {
    run(client, "stream", watcher::Config::default().streaming_lists()).await
}

/// Describes an event without what differs from run to run.
fn described(event: &Event<ConfigMap>) -> String {
    match event {
        Event::Init => "Init".into(),
        Event::InitApply(map) => format!("InitApply {}", map.name_any()),
        Event::InitDone => "InitDone".into(),
        Event::Apply(map) => format!("Apply {} {}", map.name_any(), json!(map.data)),
        Event::Delete(map) => format!("Delete {}", map.name_any()),
    }
}

async fn run(client: Client, label: &str, config: watcher::Config) -> Result<()> {
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    for index in 0..OBJECTS {
        maps.create(&PostParams::default(), &labelled(&format!("{label}-{index:02}"), label)).await?;
    }
    let selector = format!("watched={label}");
    let (reader, writer) = reflector::store();
    let mut events = pin!(reflector(writer, watcher(maps.clone(), config.labels(&selector)).default_backoff()));
    let mut initial = Vec::new();
    while initial.last().is_none_or(|event| event != "InitDone") {
        initial.push(next(&mut events).await?);
    }
    ensure!(initial[0] == "Init", "initial events {initial:?}");
    // The watch cache of a real server may be older than the last writes, which follow then.
    while reader.len() < OBJECTS {
        next(&mut events).await?;
    }

    maps.create(&PostParams::default(), &labelled(&format!("{label}-new"), label)).await?;
    println!("said {}", next(&mut events).await?);
    let change = Patch::Merge(json!({ "data": { "a": "1" } }));
    maps.patch(&format!("{label}-00"), &PatchParams::default(), &change).await?;
    println!("said {}", next(&mut events).await?);
    // An object that stops matching the selector is deleted for this watch.
    let leave = Patch::Merge(json!({ "metadata": { "labels": { "watched": "left" } } }));
    maps.patch(&format!("{label}-01"), &PatchParams::default(), &leave).await?;
    println!("said {}", next(&mut events).await?);
    maps.delete(&format!("{label}-02"), &DeleteParams::default()).await?;
    println!("said {}", next(&mut events).await?);
    ensure!(reader.len() == OBJECTS - 1, "the store has {} objects", reader.len());
    let all = format!("watched in (left, {label})");
    maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels(&all)).await?;
    Ok(())
}

async fn next(events: &mut (impl Stream<Item = watcher::Result<Event<ConfigMap>>> + Unpin)) -> Result<String> {
    let event = events.try_next().await?.context("the watch ended")?;
    Ok(described(&event))
}
