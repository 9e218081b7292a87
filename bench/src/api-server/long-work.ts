import type { ControlPlane } from '@mcr/envtest';
import { createEmbeddedApiServer } from '@mcr/envtest';
import type { Program } from '../program.ts';
import { startProgram } from '../program.ts';
import type { Scenario } from '../scenario.ts';
import type { BareClientCommands, BareRequest } from './bare-client-program.ts';

const PROGRAM = new URL('bare-client-program.ts', import.meta.url);
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
/** Long requests, in this order: the last ones delete what the first ones read. */
const WORK: readonly (readonly [name: string, request: BareRequest])[] = [
  ['list', { path: CONFIG_MAPS }],
  ['tables', { path: CONFIG_MAPS, accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }],
  ['protobuf', { path: CONFIG_MAPS, accept: 'application/vnd.kubernetes.protobuf' }],
  ['selector', { path: `${CONFIG_MAPS}?labelSelector=color%3Dred` }],
  ['deleteCollection', { method: 'DELETE', path: CONFIG_MAPS }],
];

/** P-20: how long a request waits beside long work in another logical cluster. */
export const longWork: Scenario = {
  id: 'P-20',
  title:
    'longest wait of a request while another logical cluster deletes 30,000 objects, lists them or ends a namespace',
  unit: 'ms',
  goal: '≤ 50 ms',
  isMet: ({ value }) => value <= 50,

  async measure(size) {
    const objects = size === 'full' ? 30_000 : 300;
    await using server = await createEmbeddedApiServer();
    const busy = await server.createCluster({ name: 'busy' });
    const other = await server.createCluster({ name: 'other' });
    await using worker = startProgram<BareClientCommands>(PROGRAM);
    await using prober = startProgram<BareClientCommands>(PROGRAM);
    const details: Record<string, number> = {};
    const beside = async (name: string, work: () => Promise<unknown>) => {
      await prober.run('probe', other.config, { path: '/api/v1/namespaces/default' });
      const started = performance.now();
      await work();
      details[`${name}Time`] = performance.now() - started;
      details[name] = (await prober.run('endProbe')).max;
    };

    await beside('idle', () => new Promise((resolve) => setTimeout(resolve, 500)));
    delete details['idleTime'];
    await seed(busy, 'default', objects);
    for (const [name, request] of WORK) await beside(name, () => worker.run('request', busy.config, request));
    await worker.run('request', busy.config, namespace('POST', 'ends'));
    await seed(busy, 'ends', objects);
    await beside('namespace', () => endNamespace(worker, busy));
    const { idle: _, ...waits } = details;
    const longest = Object.entries(waits).filter(([name]) => !name.endsWith('Time'));
    return { value: Math.max(...longest.map(([, wait]) => wait)), floor: null, details };
  },
};

function seed(plane: ControlPlane, namespace: string, count: number): Promise<void> {
  const metadata = { name: 'object', namespace, labels: { color: 'blue' } };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(1_000) } };
  return plane.seed(object, count);
}

function namespace(method: 'POST' | 'DELETE', name: string): BareRequest {
  if (method === 'DELETE') return { method, path: `/api/v1/namespaces/${name}` };
  return { method, path: '/api/v1/namespaces', body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } };
}

/** Deletes the namespace `ends`, and resolves when it is gone. */
async function endNamespace(worker: Program<BareClientCommands>, { config }: ControlPlane): Promise<void> {
  await worker.run('request', config, namespace('DELETE', 'ends'));
  const isPresent = () =>
    worker.run('request', config, { path: '/api/v1/namespaces/ends' }).then(
      () => true,
      () => false,
    );
  while (await isPresent()) await new Promise((resolve) => setTimeout(resolve, 20));
}
