import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Journal } from './journal.ts';

const PROGRAM = fileURLToPath(new URL('limited-journal.fixture.ts', import.meta.url));

describe('journal', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'mcr-journal-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('has only whole lines after a write that failed in the middle of one', () => {
    const path = join(directory, 'hub.ndjson');
    const node = [process.execPath, '--conditions=@mcr/source', PROGRAM, path];
    const code = execFileSync('sh', ['-c', 'ulimit -f 1; exec "$@"', 'sh', ...node], { encoding: 'utf8' });
    expect(code).toBe('EFBIG');
    expect(readFileSync(path, 'utf8')).toMatch(/^(?:\{"op":"revoke","token":"x{100}"\}\n)+$/);

    const journal = new Journal(path);
    const revoked = [...journal.replay()];
    journal.append({ op: 'compact' });
    journal.close();
    const reopened = new Journal(path);
    expect([...reopened.replay()]).toEqual([...revoked, { op: 'compact' }]);
    reopened.close();
  });
});
