import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { eventually } from '../../testing/eventually.ts';
import { FollowedFiles } from './followed-files.ts';

describe('FollowedFiles', () => {
  const clock = new VirtualClock();
  let directory: string;
  let parsed: number;
  let followed: FollowedFiles<string>;
  const path = (name: string) => join(directory, name);
  /** Replaces a file at once, so that no read sees it half written. */
  const replace = async (name: string, text: string) => {
    await writeFile(path('new'), text);
    await rename(path('new'), path(name));
  };
  const filesAt = (...names: string[]) =>
    new FollowedFiles({
      files: names.map(path),
      clock,
      parse: (texts) => {
        parsed += 1;
        if (texts.includes('bad')) throw new Error('expected good files');
        return texts.join('+');
      },
    });

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-files-'));
    await writeFile(path('a'), '1');
    await writeFile(path('b'), '2');
    parsed = 0;
    followed = filesAt('a', 'b');
  });
  afterEach(async () => {
    followed.stop();
    expect(clock.pendingTimers).toBe(0);
    await rm(directory, { recursive: true });
  });

  it('S-5: parses the files once for each change', async () => {
    expect([await followed.read(), await followed.read()]).toEqual(['1+2', '1+2']);
    expect(parsed).toBe(1);
    await writeFile(path('a'), '3');
    expect(await followed.read()).toBe('3+2');
  });

  it('S-5: notifies of changes, and of each failure once', async () => {
    const seen: string[] = [];
    await followed.read();
    followed.follow({
      changed: (content) => void seen.push(content),
      failed: (error) => void seen.push(String(error)),
    });
    const passes = async (expected: readonly string[]) => {
      await eventually(async () => {
        await clock.advance(10_000);
        expect(seen).toEqual(expected);
      });
      // Further reads find no change.
      for (let look = 0; look < 3; look++) {
        await clock.advance(10_000);
        await followed.read().catch(() => undefined);
      }
      expect(seen).toEqual(expected);
    };
    await replace('a', '3');
    await passes(['3+2']);
    await replace('a', 'bad');
    await passes(['3+2', 'Error: expected good files']);
    await replace('a', '3');
    await passes(['3+2', 'Error: expected good files', '3+2']);
  });

  it('S-5: reports a content that the listener refuses, and the next one', async () => {
    const failed: unknown[] = [];
    const changed: string[] = [];
    await followed.read();
    followed.follow({
      changed: (content) => {
        if (content.startsWith('refused')) throw new Error('no certificate');
        changed.push(content);
      },
      failed: (error) => void failed.push(String(error)),
    });
    await replace('a', 'refused');
    await eventually(async () => {
      await clock.advance(10_000);
      expect(failed).toEqual(['Error: no certificate']);
    });
    await replace('a', '4');
    await eventually(async () => {
      await clock.advance(10_000);
      expect(changed).toEqual(['4+2']);
    });
    expect(failed).toHaveLength(1);
  });

  it('S-6: refuses files that are too large, and what is not a file', async () => {
    await writeFile(path('large'), Buffer.alloc(1024 * 1024 + 1, 'x'));
    await writeFile(path('fits'), Buffer.alloc(1024 * 1024, 'x'));
    await mkdir(path('directory'));
    execFileSync('mkfifo', [path('pipe')]);
    await expect(filesAt('large').read()).rejects.toThrow(`${path('large')}: expected at most 1048576 bytes`);
    expect(await filesAt('fits').read()).toHaveLength(1024 * 1024);
    await expect(filesAt('directory').read()).rejects.toThrow(`${path('directory')}: expected a regular file`);
    await expect(filesAt('pipe').read()).rejects.toThrow(`${path('pipe')}: expected a regular file`);
    await expect(filesAt('none').read()).rejects.toMatchObject({ code: 'ENOENT', path: path('none') });
  });

  it('S-6: ends a read at its deadline, and at the abort of the caller', async () => {
    const end = new AbortController();
    const reading = followed.read(end.signal);
    end.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    const deadline = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(deadline.signal);
    try {
      const late = followed.read();
      deadline.abort(new DOMException('timeout', 'TimeoutError'));
      await expect(late).rejects.toThrow(`${path('a')}, ${path('b')}: not read within 10000 ms: check the file system`);
    } finally {
      timeout.mockRestore();
    }
  });
});
