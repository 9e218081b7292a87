import { describe, expect, it } from '@jest/globals';
import { Warnings } from '../../http/warnings.ts';
import { WARNINGS_LIMIT } from './limit.ts';
import { overlapWarnings } from './overlaps.ts';
import type { Port } from './port-index.ts';
import { PortIndex } from './port-index.ts';
import { portWarnings } from './ports.ts';

const port = (fields: Partial<Port>): Port => ({
  field: '',
  name: '',
  address: '',
  host: 0,
  own: 80,
  protocol: 'TCP',
  ...fields,
});

/** The rules of upstream, which compare every pair. */
function pairwise(one: Port, other: Port): string | undefined {
  if (one.own !== other.own || one.protocol !== other.protocol) return undefined;
  if (one.address === other.address && one.host === other.host) return 'duplicate';
  if (one.host === 0 || other.host === 0) return 'overlapping';
  const isOneOpen = (one.address === '') !== (other.address === '');
  return one.host === other.host && isOneOpen ? 'dangerously ambiguous' : undefined;
}

describe('warnings about ports', () => {
  it('K-28: finds the contradictions that a comparison of all pairs finds, in its order', () => {
    const index = new PortIndex();
    const ports: Port[] = [];
    for (let at = 0; at < 300; at++) {
      const next = port({
        field: String(at),
        own: at % 2,
        host: (at * 7) % 5,
        address: ['', '10.0.0.1', '10.0.0.2'][(at * 11) % 3] ?? '',
      });
      const expected = ports.flatMap((other) => {
        const how = pairwise(next, other);
        return how === undefined ? [] : [`${how} ${other.field}`];
      });
      expect([...index.contradicting(next)].map(([{ field }, how]) => `${how} ${field}`)).toEqual(expected);
      ports.push(next);
      index.add(next);
    }
  });

  it('K-30: looks at no pair of ports that do not contradict one another', () => {
    const index = new PortIndex();
    let pairs = 0;
    for (let host = 1; host <= 20_000; host++) {
      const next = port({ host });
      pairs += [...index.contradicting(next)].length;
      index.add(next);
    }
    expect(pairs).toBe(0);
  });

  it('K-30: makes no more warnings than a response can show', () => {
    const ports = Array.from({ length: 3000 }, () => ({ containerPort: 80 }));
    expect(portWarnings([['spec.containers[0]', { ports }]])).toHaveLength(WARNINGS_LIMIT);
    const items = Array.from({ length: 3000 }, () => ({ path: 'a' }));
    expect(overlapWarnings([{ name: 'v', configMap: { name: 'c', items } }])).toHaveLength(WARNINGS_LIMIT);
  });

  it('K-28: names the files of a volume that hide one another, in their order', () => {
    const items = ['b/c', 'a', 'b', 'bc', 'b/c/', 'a/x'].map((path) => ({ path }));
    expect(overlapWarnings([{ name: 'v', configMap: { name: 'c', items } }])).toEqual(
      ['"b" with "b/c"', '"b/c" with "b/c"', '"b/c" with "b"', '"a/x" with "a"'].map(
        (text) => `volume "v" (ConfigMap "c"): overlapping paths: ${text}`,
      ),
    );
  });

  it('K-15: shows warnings of 4,096 characters in full, and longer ones cut to 256 until they are as long', () => {
    const warnings = new Warnings();
    for (let at = 0; at < 8; at++) warnings.add(String(at).padEnd(512, 'x'));
    expect(warnings.headers().map(({ length }) => length - '299 - ""'.length)).toEqual(Array(8).fill(512));
    for (let at = 8; at < 100; at++) warnings.add(String(at).padEnd(512, 'x'));
    expect(warnings.headers().map(({ length }) => length - '299 - ""'.length)).toEqual(Array(16).fill(256));
  });
});
