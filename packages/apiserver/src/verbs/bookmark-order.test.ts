import { generateKeyPairSync } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { SigningKey } from '../access/signing-key.ts';
import { LogicalCluster } from '../logical-cluster.ts';
import type { Representation } from '../representation/representation.ts';
import { builtInTypes } from '../resources/kind-table.ts';
import { parseSelection } from '../selectors/selection.ts';
import { creating } from './create.ts';
import { runSync } from './steps.ts';
import { Watch } from './watch.ts';

/** Writes the version of each event as a line. */
const VERSIONS = {
  event: (type: string, { version }: { readonly version: number }) => [Buffer.from(`${type} ${version}\n`)],
  bookmark: (version: number) => Buffer.from(`BOOKMARK ${version}\n`),
} as unknown as Representation;

describe('bookmarks', () => {
  it('K-6: a bookmark follows the events up to its version, also if a write ends between the phases of the event loop', async () => {
    const cluster = LogicalCluster.inProcess({
      historyLimit: 10,
      bookmarkInterval: 60_000,
      signingKey: new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
      types: builtInTypes,
    });
    const type = cluster.registry.storedType('configmaps');
    if (!type) throw new Error('configmaps are not served');
    const output = new PassThrough();
    let text = '';
    output.on('data', (chunk) => (text += String(chunk)));
    const { version: from } = cluster.store;
    const options = { version: from, initial: false, initialEventsEnd: false, timeout: 60_000, bookmarkInterval: 1 };
    const selection = parseSelection(type, 'default', new URLSearchParams());
    const watch = new Watch(cluster.store, { type, selection, options, representation: VERSIONS }, output);
    const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } };
    await new Promise<void>((resolve) => {
      // Events are sent by the next immediate. The timer of the bookmark is due before it.
      setImmediate(() => {
        runSync(creating(cluster, { type, namespace: 'default', body, dryRun: false, manager: 'test' }));
        const end = performance.now() + 5;
        while (performance.now() < end);
        resolve();
      });
    });
    const { version } = cluster.store;
    await new Promise((resolve) => setTimeout(resolve, 20));
    watch.end();
    const lines = text.split('\n').filter((line) => line.endsWith(` ${version}`));
    expect(lines.slice(0, 2)).toEqual([`ADDED ${version}`, `BOOKMARK ${version}`]);
  });
});
