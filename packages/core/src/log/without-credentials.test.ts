import { describe, expect, it } from '@jest/globals';
import { withoutCredentials } from './without-credentials.ts';

describe('withoutCredentials', () => {
  it.each([
    ['got eyJhbGciOi.eyJzdWIi.c2ln today', 'got [redacted] today'],
    ['got x-eyJhbGciOi.eyJzdWIi today', 'got x-[redacted] today'],
    ['at a.b.eyJhbGciOi.eyJzdWIi.c2ln.tail', 'at a.b.[redacted].tail'],
    ['eyJhbGciOi.eyJzdWIi.c2ln.eyJhbGciOi.eyJzdWIi', '[redacted].[redacted]'],
    ['eyJhbGciOi..c2ln', '[redacted]'],
    ['token=eyJhbGciOi.eyJzdWIi.c2ln;', 'token=[redacted];'],
    ['Bearer eyJhbGciOi.eyJzdWIi.c2ln', 'Bearer [redacted]'],
    ['eyJhbGciOi alone, and aeyJhbGciOi.b', 'eyJhbGciOi alone, and aeyJhbGciOi.b'],
    ['config.eyJ.io is v1.2.3...', 'config.eyJ.io is v1.2.3...'],
  ])('S-4: turns %j into %j', (text, clean) => {
    expect(withoutCredentials(text)).toBe(clean);
  });

  it.each([
    ['eyJ-', '.'],
    ['eyJ-eyJ', ' '],
    ['eyJaaaaa.', ''],
    ['token', ''],
    ['token-', '='],
    ['token=', ''],
    ['client-key-data', ' '],
    ['bearer ', ''],
    ['bearer\t\t', ''],
    ['://', '@'],
    ['://a:', ''],
    ['-----BEGIN PRIVATE KEY-----', ''],
    ['-----BEGIN A ', ''],
    ['-----END ', ''],
    ['-', 'token='],
    ['a-', 'token='],
    [' ', ''],
    ['.', ''],
  ])('S-15: searches 64 KiB of %j in linear time', (part, last) => {
    const text = part.repeat(65_536 / part.length) + last;
    const before = process.threadCpuUsage();
    withoutCredentials(text);
    withoutCredentials(`bearer ${text}`);
    withoutCredentials(`eyJ${text}`);
    expect(process.threadCpuUsage(before).user).toBeLessThan(300_000);
  });
});
