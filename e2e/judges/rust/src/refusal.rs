//! Answers of the server that a check prints.

use anyhow::{Context, Result, bail};
use kube::{Error, core::Status};

/// Prints the code, the reason and the message of the error that a request is answered with, and returns it.
pub fn refused<T>(request: &str, result: Result<T, Error>) -> Result<Status> {
    match result {
        Ok(_) => bail!("{request} was accepted"),
        Err(Error::Api(status)) => {
            let causes = status.details.iter().flat_map(|details| &details.causes);
            let mut fields: Vec<_> = causes.map(|cause| format!("{} {}", cause.reason, cause.field)).collect();
            // A real server repeats some causes.
            fields.dedup();
            // Messages about immutable fields end with a difference of Go values.
            let message = status.message.split("\n@@").next().unwrap_or_default();
            let (code, reason) = (status.code, &status.reason);
            println!("said {request}: {code} {reason} {message:?} [{}]", fields.join(", "));
            Ok(*status)
        }
        Err(error) => Err(error).context(format!("{request} had no Status")),
    }
}
