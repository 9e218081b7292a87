import { withoutCode } from './without-code.mjs';

const FENCE = /^ *(?:```|~~~)/u;
const HEADING = /^#{1,6} +/u;
const LIST_ITEM = /^ *(?:[-*+]|\d+[.)]) +/u;
const QUOTE = /^ *> ?/u;
const TABLE_ROW = /^ *\|/u;

/**
 * Returns headings, paragraphs, list items and the cells of tables of a Markdown document. Cells are of kind `string`:
 * they may be long, and need not be sentences.
 *
 * @returns {{ kind: import('./rules.mjs').TextKind, text: string, start: number }[]} `start` is an offset in the file.
 */
export function markdownTexts(source) {
  const texts = [];
  let open;
  let fenced = false;
  let offset = 0;
  const close = () => {
    if (open) texts.push(open);
    open = undefined;
  };
  for (const line of source.split('\n')) {
    if (FENCE.test(line)) {
      close();
      fenced = !fenced;
    } else if (fenced || line.trim() === '' || /^ *<!--/u.test(line)) {
      close();
    } else if (HEADING.test(line)) {
      close();
      texts.push(part('heading', line, offset, HEADING));
    } else if (TABLE_ROW.test(line)) {
      close();
      let start = offset;
      for (const cell of line.split('|')) {
        texts.push(part('string', cell, start, /^ */u));
        start += cell.length + 1;
      }
    } else if (LIST_ITEM.test(line) || !open) {
      close();
      open = part('paragraph', line, offset, LIST_ITEM.test(line) ? LIST_ITEM : QUOTE.test(line) ? QUOTE : /^ */u);
    } else {
      open.text += `\n${line}`;
    }
    offset += line.length + 1;
  }
  close();
  return texts.map(({ text, ...rest }) => ({ ...rest, text: withoutLinks(withoutCode(text)) }));
}

function part(kind, line, offset, prefix) {
  const [{ length }] = prefix.exec(line) ?? [''];
  return { kind, text: line.slice(length), start: offset + length };
}

/** Blanks the target of a link, which is not read as words. */
function withoutLinks(text) {
  return text.replaceAll(/\]\([^)]*\)/gu, (target) => `]${'_'.repeat(target.length - 1)}`);
}
