import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { Handler } from './server.fixture.ts';
import { transportFixture } from './transport.fixture.ts';

const { authority, startServer } = transportFixture();
const PROGRAM = fileURLToPath(new URL('forgotten-client.fixture.ts', import.meta.url));

/** Delay of the only event of a watch, and of a list that is slow, in milliseconds. */
const DELAY = 600;

const metadata = { namespace: 'shop', name: 'cart', resourceVersion: '2' };
const added = { type: 'ADDED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } };
const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '1' }, items: [] };

const handler: Handler = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  if (request.url.includes('watch=')) {
    response.write('');
    setTimeout(() => response.write(`${JSON.stringify(added)}\n`), DELAY);
  } else {
    setTimeout(() => response.end(JSON.stringify(list)), DELAY / 5);
  }
};

describe.each(['h2', 'http/1.1'])('a process that does not close its client, over %s', (protocol) => {
  it('stays alive while requests and watches are in flight, and ends once nothing is', async () => {
    const server = await startServer(handler, { protocol });
    const run = async (...steps: string[]): Promise<string[]> => {
      const args = [PROGRAM, `https://localhost:${server.port}`, authority().cert, ...steps];
      // An idle connection closes itself only after 60 s.
      const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 55_000 });
      return stdout.trim().split('\n');
    };
    const [ended, closed] = await Promise.all([
      run('list', 'concurrent', 'watch', 'list'),
      run('list', 'watch', 'close'),
    ]);
    expect(ended).toEqual(['list', 'concurrent', 'ADDED', 'watch', 'list']);
    expect(closed).toEqual(['list', 'ADDED', 'watch', 'close']);
  });
});
