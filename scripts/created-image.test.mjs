import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { root } from './published-packages.mjs';
import { readImage } from './stranger/image/dockerfile.mjs';

const directory = mkdtempSync(join(tmpdir(), 'mcr-image-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Reads a Dockerfile with these last lines. */
function imageWith(...lines) {
  const file = join(directory, 'Dockerfile');
  writeFileSync(file, ['FROM node AS build', 'WORKDIR /app', 'RUN make', 'FROM base', ...lines].join('\n'));
  return readImage(file);
}

describe('the image of a created project', () => {
  it('WB-7: has one file, and a numeric user other than root', () => {
    expect(readImage(join(root, 'packages', 'create', 'templates', 'base', 'Dockerfile'))).toEqual({
      files: [{ from: 'dist/main.mjs', to: '/app/main.mjs' }],
      user: { uid: 65532, gid: 65532 },
      directory: '/',
      env: { NODE_ENV: 'production' },
      args: ['/app/main.mjs'],
    });
  });

  it('WB-7: the check reads each file, variable and argument of the last stage', () => {
    const lines = ['COPY --from=build /app/a.mjs /app/dist/b.mjs /srv/', 'ENV A=1 B=x=y', 'WORKDIR /srv', 'USER 7'];
    expect(imageWith(...lines, 'CMD ["--flag", \\', '  "/srv/a.mjs"]')).toEqual({
      files: [
        { from: 'a.mjs', to: '/srv/a.mjs' },
        { from: 'dist/b.mjs', to: '/srv/b.mjs' },
      ],
      user: { uid: 7, gid: 7 },
      directory: '/srv',
      env: { A: '1', B: 'x=y' },
      args: ['--flag', '/srv/a.mjs'],
    });
  });

  it.each([
    ['RUN make install', 'RUN make install: the check of the image does not know this instruction'],
    ['COPY . .', 'COPY . .: expected --from=STAGE'],
    ['COPY --from=build /etc/passwd /etc/', '/etc/passwd is not in /app'],
    ['USER nonroot', 'USER nonroot: expected numbers'],
  ])('WB-7: the check refuses %s', (line, message) => {
    expect(() => imageWith(line)).toThrow(message);
  });
});
