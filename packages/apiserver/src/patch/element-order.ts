import { isDeepStrictEqual } from 'node:util';
import { plainText } from '../apply/go-format.ts';
import { isObject } from './merge-patch.ts';
import { failed, requireList } from './patch-faults.ts';

/** Lists that determine the order of a merged list. */
export interface ElementOrder {
  /** Elements of the patch, or of its directive `$setElementOrder`. */
  readonly patch: readonly unknown[];
  /** Elements before the patch. */
  readonly server: readonly unknown[];
  /** Returns what identifies an element: the value of its merge key, or the element itself. */
  readonly identityOf: (element: unknown) => unknown;
}

/**
 * Returns the elements of a merged list in the order of a real server: elements of the patch are in the order of the patch,
 * the others are in their previous order, and both lists are merged. An element of the patch comes first unless
 * both existed and the other one was before it. (Upstream: `normalizeElementOrder` of apimachinery `strategicpatch`.)
 */
export function inElementOrder(merged: readonly unknown[], { patch, server, identityOf }: ElementOrder): unknown[] {
  const textOf = (element: unknown): string => JSON.stringify([identityOf(element)]);
  const patchPositions = positions(patch.map(textOf));
  const serverPositions = positions(server.map(textOf));
  const elements = merged.map((element) => {
    const text = textOf(element);
    return { element, inPatch: patchPositions.get(text), onServer: serverPositions.get(text) };
  });
  const sent = elements.filter(({ inPatch }) => inPatch !== undefined);
  const kept = elements.filter(({ inPatch }) => inPatch === undefined);
  sent.sort((a, b) => (a.inPatch ?? 0) - (b.inPatch ?? 0));
  const result: unknown[] = [];
  let next = 0;
  for (const { element, onServer } of sent) {
    for (; onServer !== undefined && isBefore(kept[next], onServer); next++) result.push(kept[next]?.element);
    result.push(element);
  }
  return [...result, ...kept.slice(next).map(({ element }) => element)];
}

function isBefore(kept: { readonly onServer: number | undefined } | undefined, position: number): boolean {
  return kept?.onServer !== undefined && kept.onServer < position;
}

/** Returns the first position of each text. */
function positions(texts: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [index, text] of texts.entries()) if (!found.has(text)) found.set(text, index);
  return found;
}

/**
 * Returns the value of a directive `$setElementOrder`.
 *
 * @param items value of the list in the patch, if it has one. Its items must be in the order of the directive.
 * @throws {StatusError} 500, as in kube-apiserver, if one of both is not a list, or the orders differ.
 */
export function requireSentOrder(
  order: unknown,
  items: unknown,
  identityOf: ElementOrder['identityOf'],
): readonly unknown[] {
  const sent = requireList(order);
  if (items === undefined || items === null) return sent;
  const written = requireList(items);
  if (sent.length === 0) return sent;
  let position = 0;
  for (const item of written) {
    if (isObject(item) && item['$patch'] === 'delete') continue;
    while (position < sent.length && !isDeepStrictEqual(identityOf(sent[position]), identityOf(item))) position++;
    if (position < sent.length) continue;
    const [list, directive] = [plainText(written), plainText(sent)];
    throw failed(`The order in patch list:\n${list}\n doesn't match $setElementOrder list:\n${directive}\n`);
  }
  return sent;
}
