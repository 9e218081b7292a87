import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createControlPlane } from '@mcr/envtest';
import fc from 'fast-check';
import { objectOf } from '../../packages/apiserver/src/protobuf/arbitrary-object.fixture.ts';
import { decodeObject, encodeObject } from '../../packages/apiserver/src/protobuf/envelope.ts';
import { messages } from '../../packages/apiserver/src/protobuf/messages.ts';

const PROGRAMS = join(import.meta.dirname, '..', 'judges', 'go');

/** Time of a first build of client-go on a busy machine, in milliseconds. */
const BUILD_TIMEOUT = 15 * 60_000;

const OBJECTS_PER_KIND = 20;

/** An answer of the program `golden`. */
interface Golden {
  readonly protobuf?: string;
  readonly json?: object;
  readonly error?: string;
}

/** They need Go, and download and build client-go, which takes minutes the first time. */
const isRequested = process.env['MCR_JUDGES'] === '1';

(isRequested ? describe : describe.skip)('programs in Go, which use the clients and encoders of Kubernetes', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-go-judges-'));
    execFileSync('go', ['build', '-o', `${directory}/`, './golden', './protobuf'], { cwd: PROGRAMS });
  }, BUILD_TIMEOUT);
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('K-23: typed clients that use protobuf read what they wrote', async () => {
    await using controlPlane = await createControlPlane();
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, controlPlane.kubeconfig, { mode: 0o600 });
    const { stdout, status } = spawnSync(join(directory, 'protobuf'), [kubeconfig], { encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('ok '))).toEqual([]);
    expect(status).toBe(0);
  });

  it.each([{ zeros: false }, { zeros: true }])(
    'K-23: encodes random objects of every kind as Go does: %o',
    (options) => {
      const objects = [...messages.kinds()].flatMap(({ apiVersion, message }) =>
        fc
          .sample(objectOf(message, options), { numRuns: OBJECTS_PER_KIND, seed: 23 })
          .map((json) => ({ kind: { apiVersion, kind: message.name }, message, json: json as object })),
      );
      const input = objects.map(({ kind, json }) => JSON.stringify({ ...kind, ...json })).join('\n');
      const { stdout } = spawnSync(join(directory, 'golden'), { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
      const lines = stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(objects.length);
      for (const [index, { kind, message, json }] of objects.entries()) {
        const { protobuf = '', json: expected, error } = JSON.parse(lines[index] ?? '') as Golden;
        // Parts of kinds, such as PodTemplateSpec, have no golden bytes.
        if (error?.startsWith('no kind ')) continue;
        const bytes = encodeObject(message, kind, json);
        expect({ kind, error, protobuf: bytes.toString('base64') }).toEqual({ kind, error: undefined, protobuf });
        if (!options.zeros) expect(decodeObject(bytes)).toEqual(expected);
      }
    },
  );
});
