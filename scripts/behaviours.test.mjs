import { describe, expect, it } from '@jest/globals';
import { entriesOf, idsOf, problemsOf, withLinks } from './behaviours.mjs';

const FILE = 'packages/core/src/controller/workqueue/workqueue.test.ts';
const LINK = `[core/controller/workqueue/workqueue](../${FILE})`;
const entry = (id, ...links) =>
  `### ${id}\n\nA promise\nof two lines.\n\nTests:${links.map((link) => `\n${link}`).join(',')}\n`;
const printing = (...ids) => ({ file: FILE, ids: new Set(ids), titles: [] });
const idsIn = (text) => [...idsOf(FILE, text).ids];

describe('ids that a file prints', () => {
  it.each([
    ['a title', "it('WQ-1: hands out once', run)"],
    ['a template', 'describe(`WQ-1: of ${size} keys`, run)'],
    ['a table of titles', "it.each([['a', 1]])('WQ-1: of %s', run)"],
    ['a table of several lines', "it.each<[string]>([\n  ['a'],\n])(\n  'WQ-1: of %s',\n  run,\n)"],
    ['a tagged table', "it.each`\n  a\n  ${1}\n`('WQ-1: of $a', run)"],
    ['a modifier', "describe.skip('WQ-1: later', run)"],
    ['a case of a suite', "const cases = [{ id: 'WQ-1', title: 'hands out once' }]"],
  ])('are read from %s', (_, text) => {
    expect(idsIn(text)).toEqual(['WQ-1']);
  });

  it('are all ids at the beginning of a title, ranges included', () => {
    expect(idsIn("it('F-9 to F-11, WQ-1: survives', run)")).toEqual(['F-9', 'F-10', 'F-11', 'WQ-1']);
  });

  it.each(["it('reads UTF-8', run)", "log('WQ-1: once')", "const curve = { id: 'P-256-x' }", '// WQ-1: once'])(
    'are not read from %s',
    (text) => {
      expect(idsIn(text)).toEqual([]);
    },
  );
});

describe('the catalogue of behaviours', () => {
  it('has no problems if each id links to the files that print it', () => {
    const markdown = `# Behaviours\n\n## Workqueue\n\n${entry('WQ-1', LINK)}\n${entry('WQ-2', LINK)}`;
    expect(problemsOf(markdown, [printing('WQ-1', 'WQ-2')])).toEqual([]);
    expect(entriesOf(markdown)[1]).toEqual({ id: 'WQ-2', promise: 'A promise\nof two lines.', files: [FILE] });
  });

  it.each([
    ['an id without an entry', entry('WQ-1', LINK), ['WQ-1', 'WQ-2'], `${FILE}: WQ-2 is not in docs/behaviours.md`],
    ['an entry without a test', entry('WQ-1', LINK), [], 'no test title begins with WQ-1: restore its test'],
    [
      'a missing link',
      entry('WQ-1'),
      ['WQ-1'],
      `WQ-1 has no link to ${FILE}: run "node scripts/behaviours.mjs --write"`,
    ],
    ['a stale link', entry('WQ-1', LINK, '[old](../old.ts)'), ['WQ-1'], 'no title in old.ts begins with WQ-1: run'],
    ['two entries of an id', entry('WQ-1', LINK).repeat(2), ['WQ-1'], 'WQ-1 has two entries: merge them'],
  ])('reports %s', (_, markdown, ids, problem) => {
    expect(problemsOf(markdown, [printing(...ids)])).toEqual([expect.stringContaining(problem)]);
  });

  it('reports an entry without a promise', () => {
    const markdown = `### WQ-1\n\nTests:\n${LINK}\n`;
    expect(problemsOf(markdown, [printing('WQ-1')])).toContainEqual(expect.stringContaining('is not followed by'));
  });

  it('reports an id that is not at the beginning of its title', () => {
    const tests = [printing('WQ-1'), idsOf('a.test.ts', "it('WQ-1 hands out once, in UTF-8', run)")];
    expect(problemsOf(entry('WQ-1', LINK), tests)).toEqual([
      'a.test.ts: "WQ-1 hands out once, in UTF-8": put WQ-1 at the beginning, as in "WQ-1: ..."',
    ]);
  });

  it('keeps its text when links are written', () => {
    const before = `# Behaviours\n\n${entry('WQ-1', '[old](../old.ts)')}\n## Faults\n\nText.\n\n${entry('WQ-2')}`;
    const tests = [printing('WQ-1', 'WQ-2'), { ...printing('WQ-1'), file: 'e2e/src/queue.e2e.ts' }];
    const after = withLinks(before, tests);
    expect(after).toBe(
      `# Behaviours\n\n${entry('WQ-1', LINK, '[e2e/queue](../e2e/src/queue.e2e.ts)')}\n## Faults\n\nText.\n\n${entry('WQ-2', LINK)}`,
    );
    expect(problemsOf(after, tests)).toEqual([]);
  });
});
