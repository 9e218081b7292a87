import { markdownTexts } from './markdown-texts.mjs';
import { programTexts } from './program-texts.mjs';
import { rules } from './rules.mjs';

/**
 * Applies every rule to the texts of a file.
 *
 * @returns {{ line: number, column: number, found: string, advice: string }[]} in the order of the file.
 */
export function findProblems(file, source) {
  const texts = file.endsWith('.md') ? markdownTexts(source) : programTexts(file, source);
  const problems = texts.flatMap(({ kind, text, start }) =>
    rules
      .filter(({ kinds }) => kinds.includes(kind))
      .flatMap(({ advice, find }) =>
        [...find(text)].map(({ index, 0: found }) => ({ advice, found, offset: start + index })),
      ),
  );
  return problems
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, found, ...rest }) => ({ ...rest, found: shortened(found), ...positionOf(source, offset) }));
}

function positionOf(source, offset) {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1).length + 1 };
}

function shortened(found) {
  const text = found.replaceAll(/\s+/gu, ' ');
  return text.length > 50 ? `${text.slice(0, 47)}...` : text;
}
