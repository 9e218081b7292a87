import { parseJson } from '../json/json.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_FLAG, PACKED_TYPE, type PackedBatch } from './packed-batch.ts';

type Type = keyof typeof PACKED_TYPE;
const TYPES = Object.fromEntries(Object.entries(PACKED_TYPE).map(([name, value]) => [value, name])) as Record<
  number,
  Type
>;
const TEXTS = ['name', 'namespace', 'uid', 'resourceVersion'] as const;
const VALUES = [
  'labels',
  'annotations',
  'ownerReferences',
  'managedFields',
  'generation',
  'deletionTimestamp',
] as const;

/** An object of a batch, read through its envelope. Absent fields are `undefined`. */
export interface Unpacked {
  readonly type: Type;
  readonly object: unknown;
  readonly metadata: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads all objects of a batch through their envelopes. */
export function unpacked({ bytes, envelopes, length }: PackedBatch): Unpacked[] {
  return Array.from({ length }, (_, index) => {
    const place = index * ENVELOPE_SIZE;
    const text = (field: number) =>
      bytes.toString('utf8', envelopes[place + field], envelopes[place + field + 1]) || undefined;
    const value = (field: number) => {
      const found = text(field);
      return found === undefined ? undefined : parseJson(found);
    };
    return {
      type: TYPES[envelopes[place] as number] as Type,
      object: value(ENVELOPE.object),
      metadata: value(ENVELOPE.metadata),
      fields: {
        ...Object.fromEntries(TEXTS.map((name) => [name, text(ENVELOPE[name])])),
        ...Object.fromEntries(VALUES.map((name) => [name, value(ENVELOPE[name])])),
      },
    };
  });
}

/** Returns what {@link unpacked} must return for a decoded object. */
export function unpackedOf(type: Type, object: unknown): Unpacked {
  const { metadata } = object as { readonly metadata: Readonly<Record<string, unknown>> };
  const text = (name: string) => {
    const value = metadata[name] as string | undefined;
    // A lone surrogate has no encoding.
    return value === undefined ? undefined : Buffer.from(value).toString('utf8') || undefined;
  };
  const value = (name: string) => (name === 'deletionTimestamp' ? (metadata[name] ?? undefined) : metadata[name]);
  return {
    type,
    object,
    metadata,
    fields: {
      ...Object.fromEntries(TEXTS.map((name) => [name, text(name)])),
      ...Object.fromEntries(VALUES.map((name) => [name, value(name)])),
    },
  };
}

/** Returns the names of the flags of an object. */
export function flagsOf({ envelopes }: PackedBatch, index: number): string[] {
  const flags = envelopes[index * ENVELOPE_SIZE + ENVELOPE.flags] as number;
  return Object.entries(PACKED_FLAG).flatMap(([name, bit]) => ((flags & bit) === 0 ? [] : [name]));
}
