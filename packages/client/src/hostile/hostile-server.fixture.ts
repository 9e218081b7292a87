import { gzipSync } from 'node:zlib';
import type { Handler } from '../transport/server.fixture.ts';

const MIB = 1024 * 1024;
/** Size of a small body after decompression, in bytes. */
const BOMB = 24 * MIB;

function repeated(text: string, size = BOMB): string {
  return text.repeat(Math.floor(size / text.length));
}

const metadata = '{"name":"a","namespace":"default","resourceVersion":"1"}';
const object = (data: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":${metadata},"data":${data}}`;
const list = (items: string) => `{"kind":"ConfigMapList","metadata":{"resourceVersion":"1"},"items":[${items}]}`;
const event = (data: string) => `{"type":"ADDED","object":${object(data)}}\n`;

/** Values of a given size that consist of many tiny values. */
const TINY: Readonly<Record<string, (size: number) => string>> = {
  arrays: (size) => `[${repeated('[],', size)}[]]`,
  objects: (size) => `[${repeated('{"a":1},', size)}{}]`,
  fields: (size) => `{${Array.from({ length: Math.floor(size / 12) }, (_, i) => `"k${i.toString(36)}":1`).join(',')}}`,
  strings: (size) => `[${Array.from({ length: Math.floor(size / 8) }, (_, i) => `"${i.toString(36)}"`).join(',')}]`,
  nested: (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
};
const ALMOST_AN_OBJECT = 7 * MIB;

/** Bodies by path. Paths that begin with `/refused` are sent with status 403. */
const BODIES: Readonly<Record<string, () => string>> = {
  '/version': () => `{"major":"1","minor":"35","gitVersion":"v","platforms":[${repeated('{},', 60 * MIB)}{}]}`,
  '/api': () => `{"kind":"APIVersions","versions":[${repeated('"v1",')}"v1"]}`,
  '/apis': () => `{"kind":"APIGroupDiscoveryList","items":[${repeated('{},', 31 * MIB)}{}]}`,
  '/refused': () => `{"kind":"Status","code":403,"reason":"Forbidden","message":"${repeated('m')}"}`,
  '/refused-with-values': () => `{"kind":"Status","code":403,"details":{"causes":[${repeated('{},', MIB - 100)}{}]}}`,
  '/list-of-one': () => list(object(`{"k":"${repeated('x')}"}`)),
  '/list-of-nothing': () => list(`${repeated('{},')}{}`),
  '/list-of-numbers': () => list(`${repeated('0,')}0`),
  '/list-that-nests': () => list('['.repeat(BOMB / 2) + ']'.repeat(BOMB / 2)),
  '/list-with-metadata': () => `{"kind":"ConfigMapList","metadata":{"x":[${repeated('0,')}0]},"items":[]}`,
  '/object': () => object(`{"k":"${repeated('x')}"}`),
  '/watch': () => event(`{"k":"${repeated('x')}"}`),
  ...Object.fromEntries(
    Object.entries(TINY).flatMap(([name, tiny]) => [
      [`/object-of-${name}`, () => object(tiny(ALMOST_AN_OBJECT))],
      [`/list-of-${name}`, () => list(object(tiny(ALMOST_AN_OBJECT)))],
      [`/watch-of-${name}`, () => event(tiny(ALMOST_AN_OBJECT))],
    ]),
  ),
};

export const HOSTILE_PATHS = Object.keys(BODIES);

const zipped = new Map<string, Buffer>();

/** Responds to each path of {@link HOSTILE_PATHS} with a body that is small on the wire but expensive to parse. */
export const hostileHandler: Handler = (request, response) => {
  const path = new URL(request.url, 'https://h').pathname;
  const make = BODIES[path];
  const body = zipped.get(path) ?? gzipSync(make?.() ?? '', { level: 1 });
  zipped.set(path, body);
  response.writeHead(path.startsWith('/refused') ? 403 : 200, {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  });
  response.end(body);
};
