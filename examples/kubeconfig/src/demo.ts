import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Manager } from '@mcr/core';
import { createManager, requestKey, shutdownSignal } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import type { Outcome } from './controller.ts';
import { addConfigMapController } from './controller.ts';
import { DemoFleet, FLEET_NAMESPACE } from './demo-fleet.ts';
import { KubeconfigFiles } from './kubeconfig-files.ts';
import { withProgress } from './progress.ts';
import type { StepReport } from './report.ts';
import { demoReport, summary } from './report.ts';
import type { Screen } from './screen.ts';
import { openScreen, silentScreen } from './screen.ts';
import { servingAddress } from './serving-address.ts';
import type { Stage, Step } from './story.ts';
import { story } from './story.ts';

export interface DemoOptions {
  readonly output: 'json' | 'story';
  readonly after: 'exit' | 'stay';
}

/** Pause between steps on a terminal, in milliseconds. */
const PAUSE = 1_500;

/** Starts a fleet, runs the steps on it, stops it, and resolves with the exit code. */
export async function runDemo({ output, after }: DemoOptions): Promise<number> {
  using shutdown = shutdownSignal();
  const starting = DemoFleet.start();
  await using demo = await (output === 'json' ? starting : withProgress('Starting the fleet', starting));

  const outcomes = new Map<string, Outcome>();
  let firstReconcileMs: number | null = null;
  const serving = servingAddress();
  const manager = await createManager({
    config: demo.hub.config,
    provider: createKubeconfigProvider({ namespace: FLEET_NAMESPACE }),
    logger: serving.logger,
    metrics: { bindAddress: after === 'stay' ? '127.0.0.1:0' : '0' },
  });
  if (after === 'stay') {
    const { addDashboard } = await import('@mcr/dashboard');
    addDashboard(manager, { title: 'mcr demo' });
  }
  await addConfigMapController(manager, {
    mode: 'annotate',
    onReconciled(request, outcome) {
      firstReconcileMs ??= Math.round(performance.now());
      outcomes.set(requestKey(request), outcome);
    },
  });

  await using running = runManager(manager);
  const signal = AbortSignal.any([shutdown.signal, running.failed]);
  using screen = output === 'json' ? silentScreen : openScreen(process.stdout, manager.fleet);
  screen.say('One controller reconciles ConfigMaps in every member. The hub and the members run on this machine.');

  const showPage = async (): Promise<void> => {
    if (after !== 'stay') return;
    const address = await Promise.race([serving.address, once(signal, 'abort').then(() => undefined)]);
    if (address !== undefined) screen.say(`The fleet page is at ${address}/dashboard`);
  };
  await showPage();

  const steps: StepReport[] = [];
  const stage: Stage = {
    demo,
    fleet: manager.fleet,
    outcomes,
    async until(what, condition) {
      try {
        await eventually(condition, { signal });
      } catch (cause) {
        throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      }
    },
  };
  const plot = story();
  for (const step of plot) {
    if (signal.aborted) break;
    steps.push(await play(step, stage, screen));
    if (screen.paced) await delay(PAUSE, undefined, { signal }).catch(() => undefined);
  }

  const report = demoReport(manager.fleet, { planned: plot.length, steps, firstReconcileMs });
  if (output === 'json') process.stdout.write(`${JSON.stringify(report)}\n`);
  screen.say(summary(report));
  if (after === 'stay' && !signal.aborted) {
    await using files = await KubeconfigFiles.write([demo.hub, ...demo.members]);
    await showPage();
    for (const file of files.paths) screen.say(`kubectl --kubeconfig ${file} get configmaps,secrets -A`);
    screen.say('The fleet keeps running. Ctrl-C ends it.');
    await once(signal, 'abort');
  }
  if (running.failed.aborted) throw running.failed.reason;
  return report.ok ? 0 : 1;
}

async function play(step: Step, stage: Stage, screen: Screen): Promise<StepReport> {
  screen.caption(step.caption);
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    await step.play(stage);
    const report = { name: step.name, ok: true, ms: elapsed() };
    screen.outcome(report);
    return report;
  } catch (error) {
    const report = {
      name: step.name,
      ok: false,
      ms: elapsed(),
      error: error instanceof Error ? error.message : String(error),
    };
    screen.outcome(report);
    return report;
  }
}

/** Starts a manager that stops on disposal. `failed` aborts if it fails before. */
function runManager(manager: Manager): AsyncDisposable & { readonly failed: AbortSignal } {
  const stop = new AbortController();
  const failure = new AbortController();
  const stopped = manager.start(stop.signal).catch((error: unknown) => failure.abort(error));
  return {
    failed: failure.signal,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await stopped;
    },
  };
}
