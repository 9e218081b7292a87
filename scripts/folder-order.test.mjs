import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { folderOrder } from './folder-order.mjs';

describe('the order of folders', () => {
  it.each(Object.entries(folderOrder))('names every folder of packages/%s/src', (name, order) => {
    const entries = readdirSync(new URL(`../packages/${name}/src`, import.meta.url), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    expect(order.toSorted()).toEqual(folders.toSorted());
  });
});
