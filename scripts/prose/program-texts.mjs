import ts from 'typescript';
import { HEAD, titleOf } from '../behaviours.mjs';
import { placeholder, withoutCode } from './without-code.mjs';

const LOG_METHOD = /^(?:debug|info|warn|error)$/u;
const LOGGER = /^#?log(?:ger)?$/u;
/** Errors of the API server of `@mcr/apiserver` are in the words of kube-apiserver. */
const ERROR = /(?<!^Status)Error$/u;
const METRIC_NAME = /^[a-z]+(?:_[a-z]+)+$/u;
/** A tag of a doc comment, with the type after it. */
const TAG =
  /@(param|property|typeParam|returns|throws|remarks|deprecated|example|default|see|typedef)\b *(?:\{[^}\n]*\} *)?/gu;
const NAMED_TAGS = new Set(['param', 'property', 'typeParam']);

/**
 * Returns the texts of a TypeScript or JavaScript file: comments, test titles, messages of errors and logs, HELP of
 * metrics, and the other literals that have several words.
 *
 * @returns {{ kind: import('./rules.mjs').TextKind, text: string, start: number }[]} `start` is an offset in the file.
 */
export function programTexts(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const literals = [];
  const kinds = new Map();
  const visit = (node) => {
    if (titleOf(node) !== undefined) kinds.set(node.arguments[0], 'title');
    for (const [literal, kind] of messagesOf(node)) kinds.set(firstLiteralOf(literal), kind);
    if (isText(node)) literals.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [
    ...commentsOf(tree, source),
    ...literals.map((node) => literalText(node, kinds.get(node) ?? 'string')).filter(({ text }) => / \S/u.test(text)),
  ];
}

/** The messages that a call hands to an error, a logger or a metric. */
function messagesOf(node) {
  if (ts.isNewExpression(node)) {
    if (!ERROR.test(node.expression.getText())) return [];
    return (node.arguments ?? []).map((argument) => [argument, 'error']);
  }
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'help') return [[node.initializer, 'help']];
  if (!ts.isCallExpression(node)) return [];
  const [first, second] = node.arguments;
  if (first && second && ts.isStringLiteral(first) && METRIC_NAME.test(first.text)) return [[second, 'help']];
  const { expression: callee } = node;
  if (!first || !ts.isPropertyAccessExpression(callee) || !LOG_METHOD.test(callee.name.text)) return [];
  const logger = ts.isPropertyAccessExpression(callee.expression) ? callee.expression.name : callee.expression;
  return LOGGER.test(logger.getText()) ? [[first, 'log']] : [];
}

/** The literal at the beginning of a message that is put together with `+`. */
function firstLiteralOf(node) {
  return ts.isBinaryExpression(node) ? firstLiteralOf(node.left) : node;
}

function isText(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** The text of a literal. Expressions in templates become placeholders; `…` marks a text that continues after `+`. */
function literalText(node, kind) {
  const start = node.getStart() + 1;
  const parts = ts.isTemplateExpression(node)
    ? [node.head.rawText, ...node.templateSpans.map(({ literal }) => literal.rawText)]
    : [node.getText().slice(1, -1)];
  let text = parts[0];
  for (const [index, part] of parts.slice(1).entries()) {
    const literal = node.templateSpans[index].literal;
    text += placeholder(literal.getStart() + 1 - start - text.length) + part;
  }
  if (ts.isBinaryExpression(node.parent) && node.parent.left === node) text += ' …';
  const [head] = kind === 'title' ? (HEAD.exec(text) ?? ['']) : [''];
  return { kind, text: withoutCode(text.slice(head.length)), start: start + head.length };
}

/** The comments of a file; `//` comments on consecutive lines are one. */
function commentsOf(tree, source) {
  const comments = [];
  for (const { pos, end, kind } of commentRanges(tree, source)) {
    const previous = comments.at(-1);
    const line = kind === ts.SyntaxKind.SingleLineCommentTrivia;
    if (line && previous?.line && /^\n[ \t]*$/u.test(source.slice(previous.end, pos))) previous.end = end;
    else comments.push({ pos, end, line });
  }
  return comments.flatMap(({ pos, end }) => paragraphsOf(source.slice(pos, end), pos));
}

function commentRanges(tree, source) {
  const ranges = new Map();
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(tree);
    for (const child of children) visit(child);
    if (children.length > 0) return;
    for (const range of ts.getLeadingCommentRanges(source, node.pos) ?? []) ranges.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(source, node.end) ?? []) ranges.set(range.pos, range);
  };
  visit(tree);
  return [...ranges.values()].sort((a, b) => a.pos - b.pos);
}

/** The description of a comment and the text of each of its tags, without delimiters and asterisks. */
function paragraphsOf(comment, start) {
  const blank = (match) => ' '.repeat(match.length);
  const text = withoutCode(comment.replace(/^\/\*\*?|\*\/$/gu, blank).replace(/^[ \t]*\/\/+|^[ \t]*\*/gmu, blank));
  const tags = [...text.matchAll(TAG)];
  const parts = [{ index: 0, 0: '' }, ...tags];
  return parts.map(({ index, 0: tag, 1: tagName }, position) => {
    const part = text.slice(index, tags[position]?.index);
    const [name] = NAMED_TAGS.has(tagName) ? (/^\S*/u.exec(part.slice(tag.length)) ?? ['']) : [''];
    const skipped = tag.length + name.length;
    const indent = part.slice(skipped).search(/\S|$/u);
    return { kind: 'comment', text: part.slice(skipped + indent).trimEnd(), start: start + index + skipped + indent };
  });
}
