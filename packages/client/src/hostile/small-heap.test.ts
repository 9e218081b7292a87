import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { transportFixture } from '../transport/transport.fixture.ts';
import { hostileHandler, HOSTILE_PATHS } from './hostile-server.fixture.ts';
import type { Outcome } from './small-heap.fixture.ts';

const { authority, startServer } = transportFixture();
const PROGRAM = fileURLToPath(new URL('small-heap.fixture.ts', import.meta.url));

describe.each(['h2', 'http/1.1'])('a process with a heap of 512 MB, over %s', (protocol) => {
  it('S-10: survives every body of a hostile server, and none blocks the event loop for long', async () => {
    const server = await startServer(hostileHandler, { protocol });
    const args = ['--max-old-space-size=512', PROGRAM, String(server.port), authority().cert, ...HOSTILE_PATHS];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 100_000 });
    const outcomes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Outcome);
    expect(outcomes.map(({ path }) => path)).toEqual(HOSTILE_PATHS);
    for (const { path, message, stall } of outcomes) {
      expect([path, message]).toEqual([path, expect.stringMatching(/^(ApiError|TransportError|WatchDecodeError): /)]);
      expect(message.length).toBeLessThan(2_000);
      // Ten times the promised limit, for busy machines.
      expect([path, stall < 1_000]).toEqual([path, true]);
    }
  });
});
