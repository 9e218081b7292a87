import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { structuralSchemaOf } from '../walk/structural-schema-of.ts';
import { duration, intOrString, listMap, mapOf } from './values.ts';

/** Whether the pattern of a schema accepts a text, as the server evaluates it. */
function serverAccepts(schema: z.ZodType, text: string): boolean {
  const { pattern } = structuralSchemaOf(schema, 'spec', { subject: 'kind Thing', refinements: 'refuse' });
  return pattern !== undefined && new RegExp(pattern).test(text);
}

describe('KS-1: schemas that the server checks like zod', () => {
  it.each([
    ...[
      '::',
      '::1',
      '1::',
      '1:2:3:4:5:6:7:8',
      '1::8',
      '1:2:3:4:5:6:7::',
      '::2:3:4:5:6:7:8',
      '::ffff:1.2.3.4',
      '::1.2.3.4',
    ],
    ...['1:2:3:4:5:6:1.2.3.4', '1::1.2.3.4', '1:2:3:4:5::1.2.3.4', '::FFFF:255.255.255.255', '2001:DB8::1'],
    ...[
      '',
      ':',
      ':::',
      '1',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1::2::3',
      '12345::',
      'g::',
      '::1.2.3',
      '::1.2.3.256',
    ],
    ...['::01.2.3.4', '1:2:3:4:5:6:7:1.2.3.4', '1.2.3.4', '::1.2.3.4:1', '1:2:3:4:5:6::1.2.3.4', '::%eth0'],
  ])('KS-1: agrees with zod about the IPv6 address %j', (text) => {
    expect(serverAccepts(z.ipv6(), text)).toBe(z.ipv6().safeParse(text).success);
    expect(serverAccepts(z.cidrv6(), `${text}/64`)).toBe(z.cidrv6().safeParse(`${text}/64`).success);
  });

  it('KS-1: limits durations to what a server can count in nanoseconds', () => {
    const accepted = ['90s', '1h30m', '1.5h', '99999h', '0.001ms', '99999h'.repeat(10)];
    const refused = ['', '1', '1d', '100000h', `${'9'.repeat(35)}h`, '9'.repeat(30) + 's'];
    const check = duration();
    expect(accepted.filter((text) => !check.safeParse(text).success)).toEqual([]);
    expect(refused.filter((text) => check.safeParse(text).success)).toEqual([]);
  });

  it('KS-1: says what its functions expect', () => {
    const item = z.object({ name: z.string() });
    const advice =
      /k8s\.listMap: keys: expected a list of names of fields, found .*: pass them as in k8s\.listMap\(item/;
    expect(() => listMap(item, undefined as never)).toThrow(advice);
    expect(() => listMap(item, 'name' as never)).toThrow(advice);
    expect(() => mapOf(z.string(), { maximum: 3 } as never)).toThrow('maximum');
    expect(intOrString().safeParse(1.5).error?.issues[0]?.message).toBe('expected an integer of 32 bits, or a string');
  });
});
