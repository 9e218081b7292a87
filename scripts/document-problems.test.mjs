import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { documentProblems } from './document-problems.mjs';

const problems = (text) => documentProblems(join(import.meta.dirname, '../README.md'), text);

describe('documentProblems', () => {
  it('accepts links to files and headings, and samples that parse', () => {
    const text = [
      '# First `code`, and more',
      '[a](#first-code-and-more) [b](docs/fleet.md#delete-an-owner) [c](docs) [d](https://example.com/#x)',
      '# Twice\n# Twice\n[e](#twice-1)',
      '`[code](nowhere.md)`',
      '```sh\n# [code](nowhere.md)\n```',
      '```yaml\na: 1\n---\nb: "x: y"\n```',
      '```json\n{ "a": 1 }\n```',
    ];
    expect(problems(text.join('\n\n'))).toEqual([]);
  });

  it.each([
    ['a link to a file', 'x\n[a](docs/none.md)', 'line 2: the link leads to docs/none.md, which does not exist'],
    [
      'an anchor of another file',
      '[a](docs/fleet.md#none)',
      'line 1: the link leads to docs/fleet.md#none, which has no',
    ],
    ['an anchor of the same file', '# A\n[a](#b)', 'line 2: the link leads to #b, which has no such heading'],
    ['a heading in code', '```sh\n# a\n```\n[a](#a)', 'line 4: the link leads to #a, which has no such heading'],
    ['a sample of YAML', 'x\n```yaml\na: b: c\n```', 'line 2: the sample is not valid yaml: Nested mappings'],
    ['a sample in a list', '- x\n  ```yaml\n  a: b: c\n  ```', 'line 2: the sample is not valid yaml: Nested'],
    ['a sample of JSON', '```json\n{ a: 1 }\n```', 'line 1: the sample is not valid json: '],
  ])('reports %s that is not valid', (_what, text, expected) => {
    expect(problems(text)).toEqual([expect.stringContaining(expected)]);
  });
});
