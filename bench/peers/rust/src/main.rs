//! Measures kube-rs: one row of the comparison with peers per process.

mod conversation;

use std::convert::Infallible;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use conversation::{Countdown, Job, Steps};
use futures::{StreamExt, stream};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, ServiceAccount};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::Controller;
use kube::runtime::controller::{Action, Config as ControllerConfig};
use kube::runtime::reflector::{self, store::Writer};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, Config, Resource};
use serde::de::DeserializeOwned;
use serde_json::json;

/// Number of concurrent reconciles.
const WORKERS: u16 = 16;

#[tokio::main]
async fn main() {
    let mut steps = Steps::new();
    let job = steps.job();
    match job.row.as_str() {
        "sync" | "watch" => sync(&job, &mut steps).await,
        "reconciles" => reconciles(&job, &mut steps).await,
        "engage" => engage(&job, &mut steps).await,
        "latency" => latency(&job, &mut steps).await,
        "start" => steps.report(json!({})),
        row => panic!("row {row} is not part of this program"),
    }
    steps.next();
    // Skips the destructors of what was cached.
    std::process::exit(0);
}

async fn client(url: &str, job: &Job) -> Client {
    let kubeconfig: Kubeconfig = serde_json::from_value(json!({
        "current-context": "peer",
        "clusters": [{"name": "peer", "cluster": {"server": url, "certificate-authority-data": base64(job.ca.as_bytes())}}],
        "users": [{"name": "peer", "user": {"token": job.token}}],
        "contexts": [{"name": "peer", "context": {"cluster": "peer", "user": "peer"}}],
    }))
    .expect("the kubeconfig is complete");
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    Client::try_from(config.expect("the kubeconfig is valid")).expect("the configuration is valid")
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * digit) & 63) as usize] as char;
            text.push(if digit <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

/// Initial objects come from a watch, as in the other clients.
fn watcher_config() -> watcher::Config {
    watcher::Config::default().streaming_lists()
}

/// Counts the initial objects and the updates of one kind.
#[derive(Clone)]
struct Counts {
    added: Arc<Countdown>,
    updated: Arc<Countdown>,
}

async fn sync(job: &Job, steps: &mut Steps) {
    steps.report(json!({}));
    steps.next();
    let counts = Counts {
        added: Arc::new(Countdown::new(job.objects)),
        updated: Arc::new(Countdown::new(job.updates)),
    };
    let client = client(&job.urls[0], job).await;
    match job.resource.as_str() {
        "pods" => follow(Api::<Pod>::all(client), (), counts.clone()),
        "configmaps" => follow(Api::<ConfigMap>::all(client), (), counts.clone()),
        _ => {
            let gvk = GroupVersionKind::gvk("example.com", "v1", "Widget");
            let widgets = ApiResource::from_gvk_with_plural(&gvk, "widgets");
            follow(
                Api::<DynamicObject>::all_with(client, &widgets),
                widgets,
                counts.clone(),
            );
        }
    }
    counts.added.done().await;
    steps.report(json!({}));
    if job.updates == 0 {
        return;
    }
    steps.next();
    counts.updated.done().await;
    steps.report(json!({}));
}

/// Fills a store from a watch, in a task that does not end.
fn follow<K>(api: Api<K>, dynamic_type: K::DynamicType, counts: Counts)
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + Sync + 'static,
    K::DynamicType: Eq + std::hash::Hash + Clone + Send + Sync,
{
    let writer = Writer::<K>::new(dynamic_type);
    tokio::spawn(async move {
        let mut events = reflector::reflector(writer, watcher(api, watcher_config())).boxed();
        while let Some(event) = events.next().await {
            match event.expect("the server answers") {
                Event::InitApply(_) => counts.added.tick(),
                Event::Apply(_) => counts.updated.tick(),
                Event::Init | Event::InitDone | Event::Delete(_) => (),
            }
        }
    });
}

async fn engage(job: &Job, steps: &mut Steps) {
    steps.report(json!({}));
    steps.next();
    let added = Arc::new(Countdown::new(job.urls.len() * job.objects * 3));
    for url in &job.urls {
        let client = client(url, job).await;
        let counts = || Counts {
            added: added.clone(),
            updated: Arc::new(Countdown::new(0)),
        };
        follow(Api::<ConfigMap>::all(client.clone()), (), counts());
        follow(Api::<Secret>::all(client.clone()), (), counts());
        follow(Api::<ServiceAccount>::all(client), (), counts());
    }
    added.done().await;
    steps.report(json!({}));
}

/// A controller per cluster, whose reconciler measures the age of the change that it was started for.
async fn latency(job: &Job, steps: &mut Steps) {
    struct Ages {
        initial: Countdown,
        changes: Countdown,
        ages: Mutex<Vec<f64>>,
    }
    let ages = Arc::new(Ages {
        initial: Countdown::new(job.urls.len() * job.objects),
        changes: Countdown::new(job.urls.len() * job.updates),
        ages: Mutex::default(),
    });
    steps.report(json!({}));
    steps.next();
    for url in &job.urls {
        let api = Api::<ConfigMap>::all(client(url, job).await);
        let reconciler = |object: Arc<ConfigMap>, ages: Arc<Ages>| async move {
            let now = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .as_micros() as f64;
            match object
                .data
                .as_ref()
                .and_then(|data| data.get("at"))
                .and_then(|at| at.parse::<f64>().ok())
            {
                None => ages.initial.tick(),
                Some(at) => {
                    ages.ages
                        .lock()
                        .expect("no thread panics")
                        .push((now - at) / 1e3);
                    ages.changes.tick();
                }
            }
            Ok::<_, Infallible>(Action::await_change())
        };
        let controller = Controller::new(api, watcher_config())
            .with_config(ControllerConfig::default().concurrency(WORKERS))
            .run(reconciler, |_, _, _| Action::await_change(), ages.clone());
        tokio::spawn(controller.for_each(|_| async {}));
    }
    ages.initial.done().await;
    steps.report(json!({}));
    steps.next();
    ages.changes.done().await;
    let mut sorted = std::mem::take(&mut *ages.ages.lock().expect("no thread panics"));
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    steps.report(json!({ "p50": at(0.5), "p99": at(0.99) }));
}

/// Objects that are in a store already go through the scheduler of one controller to a reconciler without work.
async fn reconciles(job: &Job, steps: &mut Steps) {
    let objects: Vec<ConfigMap> = (0..job.objects)
        .map(|index| {
            let mut object = ConfigMap::default();
            object.metadata.name = Some(format!("object-{index}"));
            object.metadata.namespace = Some("default".to_owned());
            object
        })
        .collect();
    let mut writer = Writer::<ConfigMap>::default();
    writer.apply_watcher_event(&Event::Init);
    for object in &objects {
        writer.apply_watcher_event(&Event::InitApply(object.clone()));
    }
    writer.apply_watcher_event(&Event::InitDone);
    steps.report(json!({}));
    while steps.next().is_some() {
        let reconciled = Arc::new(Countdown::new(job.objects));
        let trigger = stream::iter(objects.clone().into_iter().map(Ok)).chain(stream::pending());
        let controller = Controller::for_stream(trigger, writer.as_reader())
            .with_config(ControllerConfig::default().concurrency(WORKERS))
            .run(
                |_, reconciled: Arc<Countdown>| async move {
                    reconciled.tick();
                    Ok::<_, Infallible>(Action::await_change())
                },
                |_, _, _| Action::await_change(),
                reconciled.clone(),
            );
        let running = tokio::spawn(controller.for_each(|_| async {}));
        reconciled.done().await;
        steps.report(json!({}));
        running.abort();
    }
}
