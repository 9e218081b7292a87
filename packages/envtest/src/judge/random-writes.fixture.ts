import { Random } from '../fault-proxy/random.ts';
import type { Body } from '../../../apiserver/src/raw-client.fixture.ts';
import type { Session } from './session.fixture.ts';

const STEPS = 120;
const NAMES = ['a', 'b', 'c', 'd'];
const TIERS = ['gold', 'silver'];

/** Sends operations on a few objects, chosen by a seed, while watches end and resume. */
export async function randomWrites(session: Session, seed: number): Promise<void> {
  const namespace = `random-${seed}`;
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  const random = new Random(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
  const maybe = <T>(value: T): T | undefined => pick([value, undefined]);
  const namespaceObject = await session.post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const seen: string[] = [namespaceObject.metadata.resourceVersion];
  const see = ({ metadata }: Body): void => {
    // The response may be a Status.
    if (metadata.resourceVersion) seen.push(metadata.resourceVersion);
  };
  const map = (name: string, resourceVersion?: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      labels: { tier: pick(TIERS) },
      ...(random.next() < 0.2 && { finalizers: ['example.com/hold'] }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    data: { [pick(NAMES)]: pick(NAMES) },
  });

  const operations: readonly ((name: string) => Promise<Body>)[] = [
    (name) => session.post(`${maps}?fieldManager=${pick(TIERS)}${pick(['', '&dryRun=All'])}`, map(name)),
    async (name) => session.put(`${maps}/${name}`, map(name, pick([undefined, pick(seen)]))),
    (name) => session.patch('merge', `${maps}/${name}`, { data: { [pick(NAMES)]: pick([null, 'x', 'y']) } }),
    (name) => session.patch('merge', `${maps}/${name}`, { metadata: { labels: { tier: pick([null, ...TIERS]) } } }),
    (name) => session.patch('merge', `${maps}/${name}`, { metadata: { finalizers: null } }),
    (name) => session.patch('strategic', `${maps}/${name}`, { metadata: { finalizers: ['example.com/hold'] } }),
    (name) =>
      session.patch('json', `${maps}/${name}`, [
        { op: pick(['add', 'replace', 'remove', 'test']), path: `/data/${pick(NAMES)}`, value: pick(NAMES) },
      ]),
    (name) =>
      session.patch('apply', `${maps}/${name}?fieldManager=${pick(TIERS)}&force=${pick(['true', 'false'])}`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { [pick(NAMES)]: pick(NAMES), [pick(NAMES)]: pick(NAMES) },
      }),
    (name) => session.delete(`${maps}/${name}`, maybe({ preconditions: { resourceVersion: pick(seen) } })),
    (name) => session.get(`${maps}/${name}`),
    async () => {
      const query = `labelSelector=tier%3D${pick(TIERS)}&limit=${pick([1, 2, 3])}`;
      const page = await session.get(`${maps}?${query}`);
      const token = page.metadata.continue;
      return token ? session.get(`${maps}?${query}&continue=${encodeURIComponent(token)}`) : page;
    },
  ];
  for (let step = 0; step < STEPS; step++) {
    see(await pick(operations)(pick(NAMES)));
    if (step % 40 === 0) await session.watch(`${maps}?watch=true&resourceVersion=${pick(seen)}`);
    if (step % 40 === 20) {
      await session.watch(`${maps}?watch=true&resourceVersion=${pick(seen)}&labelSelector=tier%3D${pick(TIERS)}`);
    }
  }
  for (const tier of TIERS) {
    const labels = { tier };
    await session.post(maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `last-${tier}`, labels } });
  }
  await session.drain('last-');
}
