import type { Field, Message, Messages } from '../../protobuf/messages.ts';
import type { ResourceType } from '../../resources/resource-type.ts';
import { apiVersionOf } from '../../resources/resource-type.ts';
import { builtInTypeName } from '../built-in-schema.ts';
import type { Schema } from '../schema.ts';

/** Codes of scalars that JSON omits if they are zero, in the table of messages. */
const SCALARS = 'sybil';

/**
 * Returns the lines of the table of zero values.
 *
 * @param types the built-in kinds.
 * @see zeroValueTable for the notation
 */
export function zeroValueLines(types: readonly ResourceType[], messages: Messages): readonly string[] {
  const lines = new Map<string, ReadonlySet<string>>();
  const visit = (name: string, schema: Schema, message: Message): void => {
    if (lines.has(name)) return;
    const marks = new Set<string>();
    lines.set(name, marks);
    for (const field of fieldsOf(message)) {
      const known = schema.properties?.[field.name];
      if (!known) continue;
      const mark = markOf(field);
      if (mark !== undefined) marks.add(`${field.name}${mark}`);
      const inner = field.many === 'one' ? known : field.many === 'list' ? known.items : known.additionalProperties;
      if (typeof field.type === 'string' || typeof inner !== 'object' || field.type.form !== 'object') continue;
      const innerName = builtInTypeName(inner);
      if (innerName !== undefined) visit(innerName, inner, field.type);
    }
  };
  for (const type of types) {
    const message = messages.ofKind(apiVersionOf(type), type.kind);
    if (message) visit(`${apiVersionOf(type)}.${type.kind}`, type.schema, message);
  }
  // The metadata of an object keeps an empty name.
  lines.delete('ObjectMeta');
  return [...lines].filter(([, marks]) => marks.size > 0).map(([name, marks]) => [name, ...marks].join(' '));
}

function fieldsOf(message: Message): readonly Field[] {
  return message.fields.flatMap((field) =>
    field.inline && typeof field.type !== 'string' ? fieldsOf(field.type) : [field],
  );
}

function markOf({ type, many, optional, required }: Field): string | undefined {
  if (many === 'list') return required ? '*' : undefined;
  if (many !== 'one' || optional || typeof type !== 'string' || !SCALARS.includes(type)) return undefined;
  if (!required) return '';
  return type === 'y' ? undefined : '!';
}
