import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '@mcr/core';
import { kindAt, samples } from './sample.ts';

const COUNT = 800;
const texts = Array.from({ length: COUNT }, (_, index) => kindAt('mixed', index).json(index, 1_000_000_000 + index));
const objects = texts.map((text) => JSON.parse(text) as KubernetesObject);

describe('mixed sample', () => {
  it('depends on the index only', () => {
    expect(texts.map((_, index) => kindAt('mixed', index).json(index, 1_000_000_000 + index))).toEqual(texts);
  });

  it('has the kinds and keys that it declares', () => {
    for (const [index, { apiVersion, kind, metadata }] of objects.entries()) {
      const declared = kindAt('mixed', index);
      expect({ apiVersion, kind }).toEqual({ apiVersion: declared.kind.apiVersion, kind: declared.kind.kind });
      expect(declared.key(index)).toEqual({ name: metadata.name, namespace: metadata.namespace });
    }
    expect(new Set(objects.map(({ metadata }) => metadata.uid)).size).toBe(COUNT);
    expect(new Set(objects.map(({ metadata }) => metadata.name)).size).toBe(COUNT);
  });

  it('has small and large objects', () => {
    const sizes = texts.map((text) => text.length).sort((a, b) => a - b);
    expect(sizes[0]).toBeLessThan(400);
    expect(sizes[COUNT / 2]).toBeGreaterThan(800);
    expect(sizes[COUNT / 2]).toBeLessThan(3_000);
    expect(sizes.at(-1)).toBeGreaterThan(30_000);
    expect(sizes.at(-1)).toBeLessThan(50_000);
  });

  it('does not flatter compression', () => {
    const bytes = Buffer.from(texts.join(''));
    expect(deflateRawSync(bytes).length).toBeGreaterThan(0.25 * bytes.length);
  });
});

describe('reference sample', () => {
  it('is a Pod of 1.64 to 1.67 KB', () => {
    const [pod] = samples.reference;
    for (const index of [0, 99, 100_000, 999_999]) {
      const size = Buffer.byteLength(pod?.json(index, 1_000_000_000 + index) ?? '');
      expect(size).toBeGreaterThanOrEqual(1_639);
      expect(size).toBeLessThanOrEqual(1_670);
    }
  });
});
