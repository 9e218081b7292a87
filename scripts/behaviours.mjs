// Compares docs/behaviours.md with the ids in test titles. `--write` brings the links to tests up to date.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const CATALOGUE = 'docs/behaviours.md';
const SOURCES = ['{packages,examples}/*/src/**/*.ts', '{bench,e2e,judge}/src/**/*.ts', 'scripts/*.mjs'];

const ID = /\b[A-Z]{1,2}-\d+\b/gu;
/** `WQ-3: `, `F-1, F-22: `, `K-1 to K-6, K-8: `. */
export const HEAD = /^[A-Z]{1,2}-\d+(?:(?:, | to )[A-Z]{1,2}-\d+)*: /u;
const TEST_FUNCTIONS = new Set(['describe', 'it', 'test']);
/** An entry of the catalogue: the id, the promise in one paragraph, and a line with a link for each test. */
const ENTRY = /^### (\S+)\n\n(.+(?:\n.+)*)\n\nTests:((?:\n\[.*\]\(.*\),?)*)$/gmu;

/**
 * Returns the ids of a file: those at the beginning of test titles, and the `id` of conformance cases and benchmark
 * scenarios.
 *
 * @returns `titles` has the literal parts of the titles, without the values that a template inserts.
 */
export function idsOf(file, text) {
  const ids = new Set();
  const titles = [];
  const visit = (node) => {
    const title = titleOf(node);
    if (title !== undefined) {
      titles.push(title);
      for (const id of headOf(title)) ids.add(id);
    }
    const id = caseId(node);
    if (id !== undefined) ids.add(id);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return { file, ids, titles };
}

/** Returns the title in a call of `it`, `test` or `describe`, or of their `each`. */
export function titleOf(node) {
  if (!ts.isCallExpression(node)) return undefined;
  let callee = node.expression;
  while (!ts.isIdentifier(callee)) {
    callee = callee.expression ?? callee.tag;
    if (callee === undefined) return undefined;
  }
  const [title] = node.arguments;
  if (!TEST_FUNCTIONS.has(callee.text) || title === undefined) return undefined;
  if (ts.isStringLiteralLike(title)) return title.text;
  return ts.isTemplateExpression(title) ? title.head.text : undefined;
}

function caseId(node) {
  if (!ts.isPropertyAssignment(node) || !ts.isIdentifier(node.name) || node.name.text !== 'id') return undefined;
  if (!ts.isStringLiteral(node.initializer)) return undefined;
  return headOf(`${node.initializer.text}: `)[0];
}

/** Returns the ids at the beginning of a title, ranges included. */
function headOf(title) {
  const [head] = HEAD.exec(title) ?? [];
  if (head === undefined) return [];
  return head
    .slice(0, -2)
    .split(', ')
    .flatMap((part) => {
      const [[prefix, first], [, last]] = [part.split(' to ')[0].split('-'), part.split(' to ').at(-1).split('-')];
      return Array.from({ length: last - first + 1 }, (_, index) => `${prefix}-${Number(first) + index}`);
    });
}

/** Returns the entries of the catalogue: each id with the files that it links to. */
export function entriesOf(markdown) {
  return [...markdown.matchAll(ENTRY)].map(([, id, promise, links]) => ({
    id,
    promise,
    files: [...links.matchAll(/\]\(\.\.\/(.*)\)/gu)].map(([, file]) => file),
  }));
}

/**
 * Compares the catalogue with the tests.
 *
 * @param tests results of {@link idsOf}, one for each file.
 * @returns a message for each difference, with the action to take.
 */
export function problemsOf(markdown, tests) {
  const entries = new Map(entriesOf(markdown).map((entry) => [entry.id, entry]));
  const catalogued = (id) => new Set(entries.get(id)?.files);
  const prefixes = new Set([...entries.keys()].map(prefixOf));
  const printed = filesById(tests);
  return [
    ...malformed(markdown, entries),
    ...[...printed].flatMap(([id, files]) =>
      entries.has(id)
        ? files
            .filter((file) => !catalogued(id).has(file))
            .map((file) => `${CATALOGUE}: ${id} has no link to ${file}: run "node scripts/behaviours.mjs --write"`)
        : `${files[0]}: ${id} is not in ${CATALOGUE}: add an entry, or use the id of another entry`,
    ),
    ...[...entries].flatMap(([id, { files }]) =>
      printed.has(id)
        ? files
            .filter((file) => !printed.get(id).includes(file))
            .map(
              (file) =>
                `${CATALOGUE}: no title in ${file} begins with ${id}: run "node scripts/behaviours.mjs --write"`,
            )
        : `${CATALOGUE}: no test title begins with ${id}: restore its test, or remove the entry`,
    ),
    ...tests.flatMap(({ file, titles }) =>
      titles.flatMap((title) =>
        (title.replace(HEAD, '').match(ID) ?? [])
          .filter((id) => prefixes.has(prefixOf(id)))
          .map((id) => `${file}: "${title}": put ${id} at the beginning, as in "${id}: ..."`),
      ),
    ),
  ];
}

/** Returns the problems of entries that {@link entriesOf} does not recognise. */
function malformed(markdown, entries) {
  const headings = [...markdown.matchAll(/^### (.*)$/gmu)].map(([, heading]) => heading);
  return headings.flatMap((heading, index) => {
    if (headings.indexOf(heading) !== index) return `${CATALOGUE}: ${heading} has two entries: merge them`;
    if (entries.has(heading)) return [];
    return `${CATALOGUE}: "### ${heading}" is not followed by a paragraph and "Tests:", each after an empty line`;
  });
}

/** Returns the catalogue with links to the tests that print its ids. */
export function withLinks(markdown, tests) {
  const printed = filesById(tests);
  return markdown.replace(ENTRY, (_, id, promise) => {
    const links = (printed.get(id) ?? []).map((file) => `\n[${nameOf(file)}](../${file})`);
    return `### ${id}\n\n${promise}\n\nTests:${links.join(',')}`;
  });
}

function filesById(tests) {
  const files = new Map();
  for (const { file, ids } of tests) for (const id of ids) files.set(id, [...(files.get(id) ?? []), file]);
  return files;
}

/** Returns `core/controller/workqueue/lanes` for `packages/core/src/controller/workqueue/lanes.test.ts`. */
function nameOf(file) {
  return file
    .replace(/^packages\//u, '')
    .replace('/src/', '/')
    .replace(/(?:\.test|\.e2e)?\.m?[jt]s$/u, '');
}

function prefixOf(id) {
  return id.split('-')[0];
}

function readTests() {
  const files = globSync(SOURCES, { cwd: root, exclude: ['**/node_modules/**', 'scripts/behaviours.test.mjs'] });
  return files.sort().map((file) => idsOf(file, readFileSync(join(root, file), 'utf8')));
}

/**
 * Prints the differences between the catalogue and the tests.
 *
 * @returns whether there are none.
 */
export function checkBehaviours() {
  const markdown = readFileSync(join(root, CATALOGUE), 'utf8');
  const problems = problemsOf(markdown, readTests());
  for (const problem of problems) console.error(problem);
  console.log(`${entriesOf(markdown).length} behaviours: ${problems.length === 0 ? 'ok' : 'see above'}`);
  return problems.length === 0;
}

if (import.meta.main) {
  const path = join(root, CATALOGUE);
  if (process.argv.includes('--write')) writeFileSync(path, withLinks(readFileSync(path, 'utf8'), readTests()));
  if (!checkBehaviours()) process.exitCode = 1;
}
