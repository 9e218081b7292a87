import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Clock } from '@mcr/core';
import { sleep } from '@mcr/core';
import { Backoff } from '@mcr/core/provider';

export interface ContainerEventsOptions {
  /** The program of the container engine, such as `docker`. */
  readonly engine: string;
  readonly clock: Clock;
  /** Called when a container of a Kind cluster is created, removed, started or stopped. */
  readonly onEvent: () => void;
}

/** Time of listening after which the backoff is reset, in milliseconds. */
const WELL = 60_000;

/** Events in the life of a container. Commands that Kind runs in a container are events, too. */
const LIFE = /^(create|start|restart|stop|kill|die|died|pause|unpause|destroy|remove|cleanup)$/;

/** Selects the containers of Kind's nodes by their label: see `pkg/cluster/constants` of Kind. */
const ARGUMENTS = ['events', '--filter', 'label=io.x-k8s.kind.cluster', '--format', '{{json .}}'];

/**
 * Listens to a container engine's events of Kind's containers until `signal` aborts, and reconnects with backoff. Returns
 * at once if the engine is not installed.
 */
export async function listenToContainers(
  { engine, clock, onEvent }: ContainerEventsOptions,
  signal: AbortSignal,
): Promise<void> {
  const backoff = new Backoff({ base: 1_000, max: 300_000 });
  while (!signal.aborted) {
    const began = clock.now();
    if ((await listen(engine, onEvent, signal)) === 'missing') return;
    if (clock.now() - began >= WELL) backoff.reset();
    await sleep(clock, backoff.next(), signal).catch(() => undefined);
  }
}

async function listen(engine: string, onEvent: () => void, signal: AbortSignal): Promise<'missing' | 'ended'> {
  const child = spawn(engine, ARGUMENTS, { env: process.env, stdio: ['ignore', 'pipe', 'ignore'] });
  const onAbort = () => child.kill('SIGKILL');
  signal.addEventListener('abort', onAbort, { once: true });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (tellsOfLife(line)) onEvent();
  });
  try {
    await once(child, 'close');
    return 'ended';
  } catch {
    return 'missing';
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Whether a line of `events` is about the life of a container. Docker has the field `Action`, Podman `Status`. */
export function tellsOfLife(line: string): boolean {
  try {
    const { Action, Status } = JSON.parse(line) as { readonly Action?: unknown; readonly Status?: unknown };
    return LIFE.test(String(Action ?? Status));
  } catch {
    return false;
  }
}
