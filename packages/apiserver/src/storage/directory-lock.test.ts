import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lockDirectory } from './directory-lock.ts';
import { processIdentity } from './process-identity.ts';

const program = fileURLToPath(new URL('./locking-process.fixture.ts', import.meta.url));

/** Time for both processes to start, in milliseconds. */
const START = 1_500;

/** A process id that no system assigns. */
const ENDED = String(2 ** 22 + 1);

describe('directory lock', () => {
  let parent: string;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'mcr-lock-'));
  });
  afterAll(() => rm(parent, { recursive: true }));

  it('K-31: one of two processes takes over the lock of a process that has ended', async () => {
    const directories = Array.from({ length: 200 }, (_, index) => join(parent, String(index)));
    for (const directory of directories) {
      await mkdir(directory);
      await writeFile(join(directory, 'lock'), ENDED);
    }
    const args = ['--conditions=@mcr/source', program, String(Date.now() + START), ...directories];
    const children = [0, 1].map(() => spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
    const results = await Promise.all(
      children.map(async ({ stdout }) => {
        const [line] = (await once(stdout, 'data')) as [Buffer];
        return JSON.parse(line.toString()) as boolean[];
      }),
    );
    const owners = await Promise.all(directories.map((directory) => readFile(join(directory, 'lock'), 'utf8')));
    const files = await Promise.all(directories.map((directory) => readdir(directory)));
    for (const child of children) child.stdin.end();
    await Promise.all(children.map((child) => once(child, 'exit')));
    for (const [index, owner] of owners.entries()) {
      const winners = children.filter((_, child) => results[child]?.[index]);
      expect(winners.map(({ pid }) => pid)).toEqual([Number.parseInt(owner, 10)]);
      expect(files[index]).toEqual(['lock']);
    }
  });

  it('K-31: a lock is taken over from a process that ended while it took over the lock', async () => {
    const directory = join(parent, 'interrupted');
    await mkdir(directory);
    const lock = join(directory, 'lock');
    await writeFile(lock, ENDED);
    // The state between the two steps: the successor exists, and the lock is still the old one.
    const hash = createHash('sha256').update(ENDED).digest('hex').slice(0, 16);
    await writeFile(`${lock}.after-${hash}`, `${ENDED} interrupted`);
    const release = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(
      `${directory} is used by the API server of process ${process.pid} (${lock}): stop it, or use another directory`,
    );
    release();
    lockDirectory(directory)();
    expect(await readdir(directory)).toEqual([]);
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux('K-31: a lock is taken over if another process has the id of the one that wrote it', async () => {
    const directory = join(parent, 'reused');
    await mkdir(directory);
    const lock = join(directory, 'lock');
    const running = process.ppid;
    await writeFile(lock, `${running} an-id ${processIdentity(running) ?? ''}`);
    expect(() => lockDirectory(directory)).toThrow(`is used by the API server of process ${running}`);
    await writeFile(lock, `${running} an-id another-boot.1`);
    lockDirectory(directory)();
    // A lock without the identity of its process, written before the process with this id started.
    await writeFile(lock, `${running} an-id`);
    await utimes(lock, 1_000, 1_000);
    lockDirectory(directory)();
    expect(await readdir(directory)).toEqual([]);
  });

  it('K-31: refuses a lock that is a link to nothing', async () => {
    const directory = join(parent, 'dangling');
    await mkdir(directory);
    await symlink('/none', join(directory, 'lock'));
    expect(() => lockDirectory(directory)).toThrow(`${join(directory, 'lock')} cannot be locked: delete it`);
  });
});
