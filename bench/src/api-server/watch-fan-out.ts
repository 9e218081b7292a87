import { createEmbeddedApiServer } from '@mcr/envtest';
import { startProgram } from '../program.ts';
import type { Scenario, Size } from '../scenario.ts';
import type { BareClientCommands } from './bare-client-program.ts';

const PROGRAM = new URL('bare-client-program.ts', import.meta.url);
/** Number of changes that are requested at a time. */
const CONCURRENCY = 16;
const GOAL = 20_000;

/** P-21: events per second that an API server delivers to many watches. */
export const watchFanOut: Scenario = {
  id: 'P-21',
  title: 'events delivered to 100 watches of the embedded API server, 1.8 KB each, in total',
  unit: '1/s',
  goal: '≥ 20,000/s, also in protobuf',
  isMet: ({ value, detail }) => value >= GOAL && detail('protobuf') >= GOAL,

  async measure(size) {
    return {
      value: await eventRate('application/json', size),
      floor: null,
      details: { protobuf: await eventRate('application/vnd.kubernetes.protobuf;stream=watch', size) },
    };
  },
};

async function eventRate(accept: string, size: Size): Promise<number> {
  const [watches, changes] = size === 'full' ? [100, 3_000] : [4, 30];
  await using server = await createEmbeddedApiServer();
  const plane = await server.createCluster({ name: 'watched' });
  const metadata = { name: 'object', namespace: 'default' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(1_500) } };
  await plane.seed(object, CONCURRENCY);
  await using watcher = startProgram<BareClientCommands>(PROGRAM);
  await using writer = startProgram<BareClientCommands>(PROGRAM);
  const path = '/api/v1/namespaces/default/configmaps';
  await watcher.run('watch', plane.config, { path: `${path}?watch=true`, accept }, watches);
  // The objects that exist count as events, too.
  await watcher.run('received', watches * CONCURRENCY);
  const ended = watcher.run('received', watches * (CONCURRENCY + changes));
  const began = await writer.run('change', plane.config, `${path}/object`, changes, CONCURRENCY);
  return (watches * changes) / (((await ended) - began) / 1_000);
}
