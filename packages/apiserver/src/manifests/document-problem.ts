import type { Document } from 'yaml';
import { isAlias, isCollection, isNode, visit } from 'yaml';

/** An action of a template, such as `{{ .Values.name }}`, with its maximum length. */
const TEMPLATE_ACTION = /\{\{[^{}]{0,200}\}\}/;

/**
 * Returns why a document cannot be a manifest, or `undefined`. A template often parses, because YAML reads
 * `{{ .Values.name }}` as a mapping whose key is a mapping.
 *
 * @param text the file of the document.
 * @param format format of the file in the message.
 */
export function documentProblem(document: Document.Parsed, text: string, format: string): string | undefined {
  const [error] = document.errors;
  const key = error ? undefined : collectionKey(document);
  if (!error && key === undefined) return undefined;
  const [start, , end] = document.range;
  // The document may end where the parser stopped.
  const lineEnd = error ? text.indexOf('\n', error.pos[1]) : end;
  const action = TEMPLATE_ACTION.exec(text.slice(start, lineEnd < 0 ? undefined : Math.max(end, lineEnd)));
  if (action) {
    const line = lineAt(text, start + action.index);
    return (
      `${action[0]} in line ${line} is an action of a template: ` +
      'render the template first, for example with "helm template"'
    );
  }
  if (error) return `not valid ${format}: ${firstLine(error.message)}`;
  return `the key in line ${lineAt(text, key ?? 0)} is a list or a mapping: use a string`;
}

/** Returns the offset of a key that is a list or a mapping. JSON has no such keys. */
function collectionKey(document: Document.Parsed): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Pair: (_, { key }) => {
      const node = isAlias(key) ? key.resolve(document) : key;
      if (!isCollection(node)) return undefined;
      offset = isNode(key) ? (key.range?.[0] ?? 0) : 0;
      return visit.BREAK;
    },
  });
  return offset;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
}
