import { describe, expect, it } from '@jest/globals';
import { findProblems } from './prose/find-problems.mjs';
import { markdownTexts } from './prose/markdown-texts.mjs';
import { programTexts } from './prose/program-texts.mjs';
import { rules } from './prose/rules.mjs';

const REFUSED = rules.flatMap(({ bad }) => bad).find((text) => text.endsWith('anew'));

const ofKind = (kind, texts) => texts.filter((text) => text.kind === kind).map(({ text }) => text);
const inProgram = (kind, source) => ofKind(kind, programTexts('file.ts', source));
const inMarkdown = (kind, source) => ofKind(kind, markdownTexts(source));

describe('each rule of the prose check', () => {
  it.each(rules.flatMap(({ bad, find }) => bad.map((text) => [text, find])))('refuses: %s', (text, find) => {
    expect([...find(text)]).not.toHaveLength(0);
  });

  it.each(rules.map(({ good, find }) => [good, find]))('accepts: %s', (text, find) => {
    expect([...find(text)]).toHaveLength(0);
  });

  it('finds words that a line break separates', () => {
    const [problem] = findProblems('file.ts', '/**\n * Returns a name that is\n * no name.\n */');
    expect(problem).toMatchObject({ line: 2, column: 24 });
  });
});

describe('texts of a program', () => {
  it.each([
    ['a doc comment', '/** Returns the name. */\nconst a = 1;', ['Returns the name.']],
    [
      'consecutive line comments, as one',
      'f(); // One sentence\n  // on two lines.',
      ['One sentence\n     on two lines.'],
    ],
    ['a comment inside of a call', 'f(\n  // The first.\n  a,\n);', ['The first.']],
    ['a comment at the end of a file', 'f();\n/* The end. */', ['The end.']],
    [
      'each tag of a doc comment, without the name of a parameter',
      '/**\n * Waits.\n * @param name the name\n * @returns the result\n * @throws {TypeError} if it is empty\n */\nf();',
      ['Waits.', 'the name', 'the result', 'if it is empty'],
    ],
    ['a comment with code, which is not read', '/** Calls `Of` again. */', ['Calls C000 again.']],
  ])('include %s', (_, source, texts) => {
    expect(inProgram('comment', source).filter((text) => text !== '')).toEqual(texts);
  });

  it.each([
    ['title', 'the title of a test, without its ids', "it('WQ-1, WQ-2: hands out once', run);", 'hands out once'],
    ['title', 'the title of a table of tests', "it.each([1])('hands out %s', run);", 'hands out %s'],
    ['error', 'the message of an error', "throw new TypeError('name is empty', { cause });", 'name is empty'],
    ['error', 'the beginning of a message in parts', "new Error('name ' + more)", 'name  …'],
    ['error', 'a message with an expression', 'new KindError(`${name} is empty`)', 'C000000 is empty'],
    ['log', 'the message of a log entry', "this.#log.info('cluster engaged', { cluster });", 'cluster engaged'],
    ['help', 'the HELP of a metric', "gauge('workqueue_depth', 'Number of requests.')", 'Number of requests.'],
    [
      'help',
      'the HELP in the options of a metric',
      "new Gauge({ help: 'Number of requests.' })",
      'Number of requests.',
    ],
    ['string', 'any other literal of several words', "console.log('all is well');", 'all is well'],
  ])('include as %s %s', (kind, _, source, text) => {
    expect(inProgram(kind, source)).toEqual([text]);
  });

  it('do not include one word, a comment delimiter in a literal, or the words of kube-apiserver as an error', () => {
    const source =
      "import 'node:fs'; f('// x', '/*'); new StatusError(409, 'Conflict', 'Operation cannot be fulfilled');";
    expect(programTexts('file.ts', source).filter(({ kind }) => kind !== 'string')).toEqual([]);
  });
});

describe('texts of a Markdown document', () => {
  it.each([
    ['heading', 'a heading', '## Rotate credentials', 'Rotate credentials'],
    ['paragraph', 'a paragraph on several lines', 'One line\nand another.', 'One line\nand another.'],
    ['paragraph', 'a list item', '- One item.', 'One item.'],
    ['paragraph', 'a quotation', '> A quotation.', 'A quotation.'],
    ['paragraph', 'the text of a link, without its target', '[A text](../of/which.md)', `[A text]${'_'.repeat(16)}`],
  ])('include as %s %s', (kind, _, source, text) => {
    expect(inMarkdown(kind, source)).toEqual([text]);
  });

  it('include the cells of a table, whose sentences may be long', () => {
    const [row] = [`| ${'very '.repeat(50)}long. | ${REFUSED} |`];
    expect(findProblems('README.md', row).map(({ found }) => found)).toEqual(['anew']);
  });

  it('do not include fenced code', () => {
    expect(markdownTexts(`\`\`\`sh\n${REFUSED}\n\`\`\`\n`)).toEqual([]);
  });
});
