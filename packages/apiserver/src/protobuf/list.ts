import { Turn } from '../turn.ts';
import { encodeMessage } from './encode.ts';
import type { Kind } from './envelope.ts';
import { encodeEnvelope } from './envelope.ts';
import type { Message } from './messages.ts';
import { BackwardWriter, BYTES } from './wire.ts';

/** Number of the field `items` of every list. */
const ITEMS = 2;

/**
 * Encodes a list whose items are encoded one by one. The length of the whole list comes first, so this encodes all
 * items before it returns, with pauses in which other requests are served.
 *
 * @param message message of the list, `head` the list without its items.
 * @returns the parts of the list, in order.
 */
export async function encodeList<T>(
  list: { readonly message: Message; readonly kind: Kind; readonly head: object },
  items: readonly T[],
  encodeItem: (item: T) => Buffer,
): Promise<Buffer[]> {
  const parts = [encodeMessage(list.message, list.head)];
  let size = parts[0]?.length ?? 0;
  const turn = new Turn();
  for (const item of items) {
    const content = encodeItem(item);
    const tag = tagOf(content.length);
    parts.push(tag, content);
    size += tag.length + content.length;
    if (turn.isOver) await turn.next();
  }
  const { start, end } = encodeEnvelope(list.kind, size);
  return [start, ...parts, end];
}

function tagOf(length: number): Buffer {
  const writer = new BackwardWriter(16);
  writer.varint(length);
  writer.tag(ITEMS, BYTES);
  return writer.finish();
}
