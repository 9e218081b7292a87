import { describe, expect, it } from '@jest/globals';
import { Pod } from '../kinds/builtin.ts';
import type { IndexExtractor } from '../store/index-extractor.ts';
import { checkIndex } from './check-index.ts';

function check(source: unknown, registered?: IndexExtractor<Pod>) {
  const first = registered && checkIndex(Pod, 'node', undefined, registered);
  return checkIndex(Pod, 'node', first, source as IndexExtractor<Pod>);
}

const extract = () => [];
const example = 'such as ".spec.nodeName"';
const path = `expected a path ${example} or ["spec", "nodeName"], found`;

describe('checkIndex', () => {
  it('CL-4: returns the function, or the names of the path', () => {
    expect(check(extract)).toBe(extract);
    expect(check('.spec.nodeName')).toEqual(['spec', 'nodeName']);
    expect(check(['data', 'a.b', '[*]'])).toEqual(['data', 'a.b', '[*]']);
    expect(check('.data.größe')).toEqual(['data', 'größe']);
    expect(check('.metadata.labels.kind')).toEqual(['metadata', 'labels', 'kind']);
  });

  it('CL-4: identical paths are the same index, in either form', () => {
    expect(check('.spec.nodeName', '.spec.nodeName')).toEqual(['spec', 'nodeName']);
    expect(check(['spec', 'nodeName'], '.spec.nodeName')).toEqual(['spec', 'nodeName']);
  });

  it.each<[string, unknown, IndexExtractor<Pod>]>([
    ['another path', '.spec.hostname', '.spec.nodeName'],
    ['a longer path', '.spec.nodeName.x', '.spec.nodeName'],
    ['a path with the same text', ['spec.nodeName'], '.spec.nodeName'],
    ['a function', extract, '.spec.nodeName'],
    ['a path', '.spec.nodeName', extract],
    ['another function', () => [], extract],
  ])('CL-4: refuses %s under the same name', (_, given, registered) => {
    expect(() => check(given, registered)).toThrow(
      'index "node" of v1 Pod is already registered with another function or path',
    );
  });

  it.each<[unknown, string]>([
    [undefined, `or a path ${example}, found undefined`],
    [7, `expected a function that returns the values of an object, or a path ${example}, found a number`],
    [{ path: '.spec' }, 'found an object'],
    ['', `${path} an empty string`],
    ['spec.nodeName', `${path} a path without a leading dot`],
    ['{.spec.nodeName}', `${path} a path without a leading dot`],
    ['.', `${path} a path with an empty name`],
    ['..nodeName', `${path} a path with an empty name`],
    ['.spec.', `${path} a path with an empty name`],
    ['.spec.containers[0].image', `${path} a path with "[": pass a function to read list elements`],
    ['.spec.containers.*', `${path} a path with "*"`],
    ['.metadata.labels.example\\.com/a', `${path} a path with "\\\\"`],
    ['.spec. nodeName', `${path} a path with " "`],
    [[], `${path} an empty array`],
    [['spec', ''], `${path} a path with an empty name`],
    [['spec', 0], `${path} a path with a number as a name`],
    [new Array(2), `${path} a path with undefined as a name`],
    ['.kind', `${path} a field that has the same value in all objects of the kind`],
    [['apiVersion'], `${path} a field that has the same value in all objects of the kind`],
  ])('CL-4: refuses the source %j', (source, message) => {
    expect(() => check(source)).toThrow(new RegExp(`^indexField of v1 Pod: expected `));
    expect(() => check(source)).toThrow(message);
    expect(() => check(source)).toThrow(TypeError);
  });
});
