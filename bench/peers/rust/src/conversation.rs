//! This program's side of its talk with the runner.

use std::io::BufRead;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Notify;

/// The first line of the input: what to measure.
#[derive(Deserialize)]
pub struct Job {
    pub row: String,
    pub urls: Vec<String>,
    pub ca: String,
    pub token: String,
    pub resource: String,
    pub objects: usize,
    pub updates: usize,
}

pub struct Steps {
    started: Instant,
    cpu: Duration,
}

impl Steps {
    pub fn new() -> Self {
        Self {
            started: Instant::now(),
            cpu: processor_time(),
        }
    }

    pub fn job(&mut self) -> Job {
        let line = self.next().expect("the first line is a job");
        serde_json::from_str(&line).expect("the first line is a job")
    }

    /// Waits until the runner starts the next step. Returns `None` if there is none. Only the main thread waits here;
    /// tasks run on the threads of the runtime.
    pub fn next(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = std::io::stdin()
            .lock()
            .read_line(&mut line)
            .expect("standard input can be read");
        self.started = Instant::now();
        self.cpu = processor_time();
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// Ends a step.
    pub fn report(&self, figures: Value) {
        let mut answer = json!({
            "ms": self.started.elapsed().as_secs_f64() * 1e3,
            "cpu": (processor_time() - self.cpu).as_secs_f64(),
        });
        if let (Value::Object(answer), Value::Object(figures)) = (&mut answer, figures) {
            answer.extend(figures);
        }
        println!("{answer}");
    }
}

fn processor_time() -> Duration {
    // SAFETY: `usage` is valid for writes, and all zeros are a valid `rusage`.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let duration = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

/// Wakes one waiter after a number of ticks.
pub struct Countdown {
    left: AtomicI64,
    done: Notify,
}

impl Countdown {
    pub fn new(count: usize) -> Self {
        let countdown = Self {
            left: AtomicI64::new(count as i64),
            done: Notify::new(),
        };
        if count == 0 {
            countdown.done.notify_one();
        }
        countdown
    }

    pub fn tick(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.done.notify_one();
        }
    }

    pub async fn done(&self) {
        self.done.notified().await;
    }
}
