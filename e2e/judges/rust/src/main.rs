//! Runs kube-rs against an API server.
//!
//!     cargo run -- KUBECONFIG
//!
//! Prints `ok NAME` for each check, after the answers that the check got (`said ANSWER`), or `not ok NAME: ERROR`. Exits
//! with 1 if a check failed. `answers.txt` has the output against kube-apiserver v1.35.4.

mod apply;
mod built_in;
mod definition;
mod finalizer;
mod refusal;
mod subresources;
mod watching;

use std::{future::Future, process::ExitCode, time::Duration};

use anyhow::{Context, Result};
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};

/// Time for one check on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

async fn check(name: &str, run: impl Future<Output = Result<()>>) -> bool {
    let outcome = tokio::time::timeout(TIMEOUT, run).await.context("timed out");
    match outcome.and_then(|result| result) {
        Ok(()) => println!("ok {name}"),
        Err(error) => {
            println!("not ok {name}: {error:#}");
            return false;
        }
    }
    true
}

async fn client() -> Result<Client> {
    let path = std::env::args().nth(1).context("usage: rust-judge KUBECONFIG")?;
    let kubeconfig = Kubeconfig::read_from(path)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode> {
    let client = client().await?;
    let results = [
        check("built-in kinds", built_in::run(client.clone())).await,
        check("server-side apply", apply::run(client.clone())).await,
        check("derived definition", definition::run(client.clone())).await,
        check("reflector that lists", watching::run_list(client.clone())).await,
        check("reflector that streams lists", watching::run_stream(client.clone())).await,
        check("finalizer", finalizer::run(client.clone())).await,
        check("subresources of pods", subresources::run(client)).await,
    ];
    Ok(if results.iter().all(|passed| *passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
