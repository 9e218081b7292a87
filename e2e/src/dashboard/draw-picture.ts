/* Writes docs/images/dashboard.png, the picture of the fleet page. `node scripts/draw-dashboard.mjs` runs it. */
import { join } from 'node:path';
import type { ClusterPhase } from '@mcr/core';
import { findChromium, launchChromium } from './chromium.ts';
import { clusterAt, populate, startSyntheticFleet, type SyntheticFleet } from './synthetic-fleet.ts';

const FILE = join(import.meta.dirname, '..', '..', '..', 'docs', 'images', 'dashboard.png');
const MINUTE = 60_000;
/** The cluster in the panel. */
const SHOWN = clusterAt(7);

/** The history of {@link SHOWN}, by minutes before now. */
const HISTORY: readonly (readonly [minutes: number, phase: ClusterPhase, reason: string, error?: string])[] = [
  [95, 'Connecting', "waiting for the API server's first response"],
  [94, 'Engaged', 'all sources have synced'],
  [52, 'Unreachable', 'connect ECONNREFUSED 10.12.0.7:6443', 'connect ECONNREFUSED 10.12.0.7:6443'],
  [41, 'Engaged', 'it answers again'],
  [9, 'Unreachable', 'connect ETIMEDOUT 10.12.0.7:6443', 'connect ETIMEDOUT 10.12.0.7:6443'],
];

const executable = findChromium();
if (executable === undefined) throw new Error('found no Chromium: install it, or set $MCR_CHROMIUM to its path');
await using fleet = await startSyntheticFleet({
  dashboard: { title: 'config-copier' },
  manager: { metrics: { maxClusterLabels: 1_000 } },
});
furnish(fleet);
const browser = await launchChromium(executable);
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 } });
  await page.goto(`${fleet.url}#${new URLSearchParams({ sort: 'phase', cluster: SHOWN }).toString()}`);
  await page.locator('#panel-body dl').waitFor();
  await page.locator('.status', { hasText: 'Live' }).waitFor();
  await page.locator('#tab-controllers', { hasText: '2' }).waitFor();
  await page.locator('body').focus();
  await page.screenshot({ path: FILE });
  console.log(`wrote ${FILE}`);
} finally {
  await browser.close();
}

function furnish(target: SyntheticFleet): void {
  const { recorder } = target.manager.fleet;
  for (const [minutes, phase, reason, error] of HISTORY) {
    target.ago = minutes * MINUTE;
    recorder.phase(SHOWN, phase, reason, error === undefined ? undefined : new Error(error));
  }
  target.ago = 95 * MINUTE;
  populate(target, 240, (name) => name !== SHOWN);
  target.ago = 2 * MINUTE;
  recorder.labels(SHOWN, { region: 'eu-west', env: 'prod', tier: '2' });
  for (const [source, objects] of [
    ['apps/v1 Deployment', 96],
    ['v1 ConfigMap', 19],
  ] as const) {
    recorder.source(SHOWN, {
      controller: 'configmaps',
      source,
      state: 'synced',
      objects: () => objects,
      staleFor: () => 540_000,
    });
  }
  for (let index = 0; index < 12_000; index += 1) {
    const cluster = clusterAt(index % 240);
    const isConflict = index % 977 === 0;
    const error = new Error('the object has been modified; apply the changes to the latest version');
    const milliseconds = 3 + ((index * 7) % 23);
    const name = index % 3 === 0 ? 'deployments' : 'configmaps';
    target.reconcile(name, cluster, { milliseconds, ...(isConflict && { error }) });
  }
  target.ago = 0;
}
