import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, RawClient } from '../raw-client.fixture.ts';
import { NESTING_LIMIT } from '../schema/nesting.ts';
import { parseYaml } from './yaml.ts';

describe('YAML', () => {
  const PREFIX = 'error converting YAML to JSON: ';
  const valueOf = async (text: string): Promise<unknown> => (await parseYaml(text)).value;

  it('K-24: resolves plain scalars as go-yaml', async () => {
    const text =
      '[y, off, ~, "", 0x1F, 0o17, 017, 08, 1_000, 1e2, .5, -7, 12:30, 2001-01-01, "1", a: b, ! 12, !!str 5, !!int "5", !!binary aGk=]';
    const values = [true, false, null, '', 31, 15, 15, 8, 1000, 100, 0.5, -7, '12:30', '2001-01-01'];
    expect(await valueOf(text)).toEqual([...values, '1', { a: 'b' }, '12', '5', 5, 'hi']);
  });

  it('K-24: reads keys, merges and aliases as go-yaml, and only the first document', async () => {
    const text = 'a: &a {x: 1, w: 2}\nb: {<<: [*a, {w: 3, z: 4}], x: 5}\nc: *a\n1: one\ntrue: yes\n---\nd: 1\n';
    const a = { x: 1, w: 2 };
    expect(await valueOf(text)).toEqual({ a, b: { x: 5, w: 2, z: 4 }, c: a, 1: 'one', true: true });
    const aliases = await valueOf(`[&v x${', *v'.repeat(150)}]`);
    expect(aliases).toEqual(Array(151).fill('x'));
  });

  it('K-24: names the line of each duplicate key', async () => {
    const { duplicates } = await parseYaml('a: 1\na: 2\n1: x\nb: {c: 1, c: 1}\n1:\n  y: z\n');
    expect(duplicates).toEqual([
      'line 2: key "a" already set in map',
      'line 4: key "c" already set in map',
      'line 6: key 1 already set in map',
    ]);
  });

  it.each([
    ['a: *zz', "yaml: unknown anchor 'zz' referenced"],
    ['a: &a\n  b: *a', "yaml: anchor 'a' value contains itself"],
    ['<<: 5', 'yaml: map merge requires map or sequence of maps as the value'],
    ['a: "\0"', 'yaml: control characters are not allowed'],
    ['%YAML 9.9\n---\na: 1', 'yaml: found incompatible YAML document'],
    ['%YAML 1.2\n---\na: 1', 'yaml: found incompatible YAML document'],
    ['a: !!int x', 'yaml: cannot decode !!str `x` as a !!int'],
    ['a: !!binary "%%"', 'yaml: !!binary value contains invalid base64 data'],
    ['a:\n\tb: c', 'yaml: line 2: found character that cannot start any token'],
    ['a: b\n  c: d', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a: "\\q"', 'yaml: found unknown escape character'],
    ['? {a: b}\n: c', 'yaml: invalid map key'],
  ])('K-24: refuses %j with the message of a real server', async (text, message) => {
    await expect(parseYaml(text)).rejects.toThrow(`${PREFIX}${message}`);
  });

  it('K-24: refuses infinite numbers, which JSON does not have', async () => {
    await expect(parseYaml('a: -.inf')).rejects.toThrow('json: unsupported value: -Inf');
  });

  it('K-24: limits what aliases add', async () => {
    const levels = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (const [before, name] of ['ab', 'bc', 'cd', 'de', 'ef']) {
      levels.push(`${name}: &${name} [${`*${before},`.repeat(10)}]`);
    }
    await expect(parseYaml(levels.join('\n'))).rejects.toThrow('yaml: document contains excessive aliasing');
    const deep = `a: &a ${'['.repeat(300)}${']'.repeat(300)}\nb: ${'['.repeat(300)}*a${']'.repeat(300)}`;
    await expect(parseYaml(deep)).rejects.toThrow(`at most ${NESTING_LIMIT} levels`);
  });

  it.each([
    ['[', `at most ${NESTING_LIMIT} levels`],
    ['- ', `at most ${NESTING_LIMIT} levels`],
    ['#\n', undefined],
    ['\n', undefined],
    ['&a ', 'duplication of an anchor'],
  ])('K-24: reads the largest body of %j in less than a second', async (part, message) => {
    const text = part.repeat(Math.floor((2.9 * 1024 * 1024) / part.length));
    const { user } = process.cpuUsage();
    const failure = await parseYaml(text).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    expect(process.cpuUsage().user - user).toBeLessThan(1_000_000);
    if (message === undefined) expect(failure).toBeUndefined();
    else expect(failure).toContain(message);
  });

  describe('in requests', () => {
    let controlPlane: ControlPlane;
    let client: RawClient;

    beforeAll(async () => {
      controlPlane = await createControlPlane();
      client = new RawClient(controlPlane.config);
    });

    afterAll(async () => {
      client[Symbol.dispose]();
      await controlPlane.stop();
    });

    it('K-24: answers 400 to a YAML body that cannot be read', async () => {
      const headers = { 'content-type': 'application/yaml' };
      for (const body of ['a: *zz', '['.repeat(1000), '\0', '<<: 5']) {
        expect((await client.request('POST', CONFIG_MAPS, { body, headers })).status).toBe(400);
        expect((await client.apply(`${CONFIG_MAPS}/a`, body, 'one')).status).toBe(400);
      }
    });
  });
});
