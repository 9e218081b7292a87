import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { story } from './story.ts';
import { columns } from './table.ts';

// If this fails, run node scripts/draw-demo.mjs.
it('the picture in the README shows each step and column of the demo', () => {
  const picture = readFileSync(join(import.meta.dirname, '../../../docs/images/demo.svg'), 'utf8');
  const missing = [...story().map(({ caption }) => caption), ...columns].filter((text) => !picture.includes(text));
  expect(missing).toEqual([]);
});
