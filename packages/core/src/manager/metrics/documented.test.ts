import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { systemClock } from '@mcr/client';
import { createFleet } from '../../fleet/status/create-fleet.ts';
import { PrometheusMetrics } from './prometheus-metrics.ts';

const page = new URL('../../../../../docs/metrics.md', import.meta.url);

it('docs/metrics.md lists exactly the metrics that exist, with their types and labels', async () => {
  const metrics = await PrometheusMetrics.create({ clock: systemClock, maxClusterLabels: 1 });
  metrics.fleet(createFleet({ clock: systemClock }));
  metrics.caches(() => []);
  metrics.leaderElection('copy', () => true);
  metrics.webhooks();
  // Called when the metrics are read.
  metrics.sharding(() => {
    throw new Error('not read');
  });
  const row = /^\| `(\w+)` +\| (\w+) +\| (`.*?`)? *\|/gmu;
  const documented = [...(await readFile(page, 'utf8')).matchAll(row)].map(
    ([, name, type, labels = '']) => `${name} ${type} ${labels.replaceAll('`', '')}`,
  );
  // prom-client exposes the labels of a metric only in its options.
  const known = metrics.registry.getMetricsAsArray() as unknown as {
    readonly name: string;
    readonly labelNames: readonly string[];
  }[];
  const served = known.map(
    ({ name, labelNames, constructor: { name: type } }) =>
      `${name} ${type.toLowerCase()} ${labelNames.filter((label) => label !== 'le').join(', ')}`,
  );
  expect(documented.sort()).toEqual(served.sort());
});
