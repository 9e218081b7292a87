import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const program = fileURLToPath(new URL('./loaded-modules.fixture.ts', import.meta.url));

interface Printed {
  readonly json: { readonly statuses: readonly number[]; readonly modules: readonly string[] };
  readonly status: { readonly status: number; readonly modules: readonly string[] };
}

describe('the protobuf codec', () => {
  it('K-23: is loaded by the first request that needs it, and not by JSON', () => {
    const output = execFileSync(process.execPath, ['--conditions=@mcr/source', program], { encoding: 'utf8' });
    const { json, status } = JSON.parse(output) as Printed;
    // codec.ts loads the others.
    expect(json).toEqual({ statuses: [201, 200, 200], modules: ['codec.ts'] });
    expect(status.status).toBe(200);
    expect(status.modules).toContain('message-table.ts');
  });
});
