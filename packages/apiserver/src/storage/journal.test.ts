import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JournalEntry, JournalState } from './journal-entry.ts';
import { Journal } from './journal.ts';
import type { StoredObject } from './stored-object.ts';
import { storeObject } from './stored-object.ts';

const PROGRAM = fileURLToPath(new URL('limited-journal.fixture.ts', import.meta.url));

function entriesOf(journal: Journal): JournalEntry[] {
  const entries: JournalEntry[] = [];
  journal.replay((entry) => entries.push(entry));
  return entries;
}

/** Returns a version of a ConfigMap. */
function stored(name: string, version: number, size = 0): StoredObject {
  return storeObject('configmaps', {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace: 'a', uid: name, resourceVersion: String(version), creationTimestamp: '' },
    data: { text: 'x'.repeat(size) },
  });
}

/** Makes each look at the clock take one millisecond. */
function slowClock(): void {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now++);
}

describe('journal', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'mcr-journal-'));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(directory, { recursive: true });
  });

  it('has only whole lines after a write that failed in the middle of one', () => {
    const path = join(directory, 'hub.ndjson');
    const node = [process.execPath, '--conditions=@mcr/source', PROGRAM, path];
    const code = execFileSync('sh', ['-c', 'ulimit -f 1; exec "$@"', 'sh', ...node], { encoding: 'utf8' });
    expect(code).toBe('EFBIG');
    expect(readFileSync(path, 'utf8')).toMatch(/^(?:\{"op":"revoke","token":"x{100}"\}\n)+$/);

    const journal = new Journal(path);
    const revoked = entriesOf(journal);
    journal.append({ op: 'compact' });
    journal.close();
    const reopened = new Journal(path);
    expect(entriesOf(reopened)).toEqual([...revoked, { op: 'compact' }]);
    reopened.close();
  });

  it('K-30: is compacted in turns while writes go on, and contains the same state afterwards', async () => {
    const path = join(directory, 'hub.ndjson');
    const journal = new Journal(path, { compactFrom: 100_000 });
    journal.replay(() => undefined);
    const live = new Map<string, StoredObject>();
    let version = 1;
    const write = (name: string, size: number): void => {
      version += 1;
      const object = stored(name, version, size);
      journal.appendWrite({ type: 'MODIFIED', object, previous: undefined });
      live.set(name, object);
    };
    const state = (): JournalState => ({
      version,
      objects: [...live.values()].toSorted((one, other) => one.version - other.version),
    });
    journal.compactTo(state);
    journal.append({ op: 'listen', port: 7 });
    journal.append({ op: 'issue', token: 'kept', user: { name: 'a', groups: [] } });
    journal.append({ op: 'issue', token: 'gone', user: { name: 'a', groups: [] } });
    journal.append({ op: 'revoke', token: 'gone' });
    journal.append({ op: 'revoke', token: 'signed' });
    for (let index = 0; index < 100; index++) write(`other-${index}`, 10);
    slowClock();
    while (statSync(path).size < 200_000) write('big', 5_000);
    // The compaction begins after these writes, and pauses between the objects.
    await new Promise((resolve) => setImmediate(resolve));
    expect(existsSync(`${path}.new`)).toBe(true);
    write('meanwhile', 10);
    version += 1;
    journal.appendWrite({ type: 'DELETED', object: stored('other-0', version), previous: undefined });
    live.delete('other-0');
    await journal.compacted();
    write('after', 10);
    journal.close();
    expect(statSync(path).size).toBeLessThan(100_000);
    expect(existsSync(`${path}.new`)).toBe(false);

    const restored = new Map<string, string>();
    const reopened = new Journal(path);
    const others: JournalEntry[] = [];
    reopened.replay((entry) => {
      if (entry.op !== 'write') others.push(entry);
      else if (entry.type === 'DELETED') restored.delete(entry.object.metadata.name);
      else restored.set(entry.object.metadata.name, entry.object.metadata.resourceVersion);
    });
    reopened.close();
    expect(restored).toEqual(new Map([...live].map(([name, object]) => [name, String(object.version)])));
    expect(others).toMatchObject([
      { op: 'listen', port: 7 },
      { op: 'issue', token: 'kept' },
      { op: 'revoke', token: 'signed' },
      { op: 'version' },
      { op: 'compact' },
    ]);
  });

  it('K-1: is compacted at the start, and keeps the version of a deletion', () => {
    const path = join(directory, 'hub.ndjson');
    const lines = Array.from({ length: 50 }, (_, index) => {
      const { json } = stored('a', index + 2, 100);
      const type = index === 49 ? 'DELETED' : 'MODIFIED';
      return `{"op":"write","type":"${type}","resource":"configmaps","fields":{},"object":${json.toString()}}\n`;
    });
    writeFileSync(path, lines.join(''));
    const journal = new Journal(path, { compactFrom: 1_000 });
    journal.replay(() => undefined);
    journal.compactTo(() => ({ version: 51, objects: [] }));
    journal.close();
    expect(readFileSync(path, 'utf8')).toBe('{"op":"version","version":51}\n{"op":"compact"}\n');
  });

  it('K-1: names the file and the line of a damaged entry', () => {
    const path = join(directory, 'hub.ndjson');
    const line = (object: unknown): string =>
      JSON.stringify({ op: 'write', type: 'ADDED', resource: 'configmaps', fields: {}, object });
    const valid = JSON.parse(stored('a', 7).json.toString()) as { metadata: object };
    const withVersion = (resourceVersion: string): object => ({
      ...valid,
      metadata: { ...valid.metadata, resourceVersion },
    });
    const open = (second: string): void => {
      writeFileSync(path, `${line(valid)}\n${second}\n`);
      new Journal(path).replay(() => undefined);
    };
    const noEntry = `${path}: line 2 is not an entry of an API server's journal: delete the file`;
    expect(() => open(line({}))).toThrow(noEntry);
    expect(() => open(line(withVersion('abc')))).toThrow(noEntry);
    expect(() => open(line({ ...valid, metadata: { ...valid.metadata, ownerReferences: 5 } }))).toThrow(noEntry);
    expect(() => open(line(withVersion('2')))).toThrow(
      `${path}: line 2 has version 2, which is not newer than 7 of an earlier line: delete the file`,
    );
    open(line(withVersion('8')));
  });

  it('K-1: reads lines that are longer than what it reads at a time', () => {
    const path = join(directory, 'hub.ndjson');
    const journal = new Journal(path);
    const object = stored('a', 2, 3_000_000);
    journal.appendWrite({ type: 'ADDED', object, previous: undefined });
    journal.append({ op: 'compact' });
    journal.close();
    const reopened = new Journal(path);
    expect(entriesOf(reopened).map(({ op }) => op)).toEqual(['write', 'compact']);
    reopened.close();
  });
});
