// Finds links of a document that lead nowhere, and YAML and JSON samples that do not parse.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** Returns the problems of a document, each with its line. `path` is the path of its file. */
export function documentProblems(path, text = readFileSync(path, 'utf8')) {
  return [...linkProblems(path, text), ...sampleProblems(text)]
    .sort((a, b) => a.line - b.line)
    .map(({ line, problem }) => `line ${line}: ${problem}`);
}

function linkProblems(path, text) {
  return [...withoutCode(text).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/gu)].flatMap((match) => {
    const [, file, anchor] = match;
    const target = file === '' ? path : join(dirname(path), decodeURI(file));
    const at = { line: lineOf(text, match.index) };
    if (!existsSync(target)) return [{ ...at, problem: `the link leads to ${file}, which does not exist` }];
    if (anchor === undefined || !target.endsWith('.md')) return [];
    if (anchorsOf(target === path ? text : readFileSync(target, 'utf8')).has(anchor)) return [];
    return [{ ...at, problem: `the link leads to ${file}#${anchor}, which has no such heading` }];
  });
}

function sampleProblems(text) {
  return [...text.matchAll(/^ *```(ya?ml|json)\n(.*?)^ *```$/gmsu)].flatMap((match) => {
    const [, language, sample] = match;
    const [error] = sampleErrors(language, sample);
    if (error === undefined) return [];
    const line = lineOf(text, match.index);
    return [{ line, problem: `the sample is not valid ${language}: ${error.split('\n')[0]}` }];
  });
}

function sampleErrors(language, sample) {
  if (language !== 'json')
    return parseAllDocuments(sample).flatMap(({ errors }) => errors.map((error) => error.message));
  try {
    JSON.parse(sample);
    return [];
  } catch (error) {
    return [error.message];
  }
}

/** Returns the anchors that GitHub gives to the headings of a document. */
function anchorsOf(text) {
  const anchors = new Set();
  for (const [, heading] of withoutFences(text).matchAll(/^#{1,6} +(.*?) *$/gmu)) {
    anchorOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/gu, '$1'), anchors);
  }
  return anchors;
}

/** Returns the anchor that GitHub gives to a heading, and adds it to the `anchors` of the document. */
export function anchorOf(heading, anchors) {
  const anchor = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
  let unique = anchor;
  for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
  anchors.add(unique);
  return unique;
}

/** Replaces code by spaces, so that offsets remain. */
function withoutCode(text) {
  return withoutFences(text).replace(/`[^`\n]*`/gu, blank);
}

function withoutFences(text) {
  return text.replace(/^ *```.*?^ *```$/gmsu, blank);
}

function blank(code) {
  return code.replace(/[^\n]/gu, ' ');
}

function lineOf(text, offset) {
  return text.slice(0, offset).split('\n').length;
}
