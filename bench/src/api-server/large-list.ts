import { createEmbeddedApiServer } from '@mcr/envtest';
import { startProgram } from '../program.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../scenario.ts';
import type { BareClientCommands } from './bare-client-program.ts';

/** P-22: how fast an API server sends a large list. */
export const largeList: Scenario = {
  id: 'P-22',
  title: 'list of 100,000 objects of 1.8 KB from the embedded API server',
  unit: 'MB/s',
  goal: '≥ 200 MB/s',
  isMet: ({ value }) => value >= 200,

  async measure(size) {
    const [objects, runs] = size === 'full' ? [100_000, 5] : [100, 1];
    await using server = await createEmbeddedApiServer();
    const plane = await server.createCluster({ name: 'large' });
    const metadata = { name: 'object', namespace: 'default' };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(1_550) } };
    await plane.seed(object, objects);
    await using reader = startProgram<BareClientCommands>(new URL('bare-client-program.ts', import.meta.url));
    const rate = async (accept: string): Promise<number> => {
      const rates: number[] = [];
      for (let run = 0; run < runs; run++) {
        const { bytes, time } = await reader.run('request', plane.config, { path: '/api/v1/configmaps', accept });
        rates.push(bytes / time / 1e3);
      }
      return median(rates);
    };
    const value = await rate('application/json');
    return { value, floor: null, details: { protobuf: await rate('application/vnd.kubernetes.protobuf') } };
  },
};
