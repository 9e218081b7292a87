import { FieldCursor, FieldName } from './field-cursor.ts';
import { QUOTE } from './json-bytes.ts';
import { ENVELOPE, PACKED_FLAG } from './packed-batch.ts';
import { envelope } from './scan-object.ts';
import { scan, scanValue } from './scan-value.ts';

const METADATA = new FieldName('metadata');
/** Fields of the envelope by their names. All of them are fields of the metadata. */
const FIELDS = (
  [
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'labels',
    'annotations',
    'ownerReferences',
    'managedFields',
    'generation',
    'deletionTimestamp',
  ] as const
).map((name) => ({ name: new FieldName(name), field: ENVELOPE[name] }));

const LAST_TEXT = ENVELOPE.resourceVersion;
const NULL = 0x6e;

/** The part of an irregular object's envelope that its bytes do not contain. */
export interface IrregularParts {
  /** Bits of `PACKED_FLAG`. */
  readonly flags: number;
  /** Unescaped texts of fields that have escapes in the bytes, by their place in the envelope. */
  readonly texts: ReadonlyMap<number, Buffer>;
}

/**
 * Stores the ranges of an object in `envelope`, like `scanObject`, for an object of any form: with escapes, with texts
 * that are not ASCII, or with fields that occur several times, so that the last one counts.
 *
 * @param bytes the window, in which the object is valid JSON and has the shape of a named object.
 */
export function envelopeOfIrregular(bytes: Buffer, start: number, end: number): IrregularParts {
  envelope.fill(0);
  envelope[ENVELOPE.object] = start;
  envelope[ENVELOPE.object + 1] = end;
  scan.longIntegers = 0;
  scanValue(bytes, start, 0);
  let flags = scan.longIntegers > 0 ? PACKED_FLAG.longInteger : 0;
  const fields = new FieldCursor(bytes, start);
  while (fields.next()) if (fields.is(METADATA)) keep(ENVELOPE.metadata, fields);
  if (findMetadataFields(bytes, envelope[ENVELOPE.metadata] as number)) flags |= PACKED_FLAG.repeatedManagedFields;
  const texts = new Map<number, Buffer>();
  for (let field: number = ENVELOPE.name; field <= LAST_TEXT; field += 2) {
    const text = textThatDiffers(bytes, field);
    if (text) texts.set(field, text);
  }
  return { flags: texts.size > 0 ? flags | PACKED_FLAG.unescaped : flags, texts };
}

/** Stores the ranges of all fields of the metadata. Returns whether `managedFields` is repeated or escaped. */
function findMetadataFields(bytes: Buffer, metadata: number): boolean {
  let isRepeated = false;
  const fields = new FieldCursor(bytes, metadata);
  while (fields.next()) {
    const known = FIELDS.find(({ name }) => fields.is(name));
    if (!known) continue;
    if (known.field === ENVELOPE.managedFields) isRepeated ||= envelope[known.field] !== 0 || !fields.isPlain;
    keep(known.field, fields);
  }
  return isRepeated;
}

/** Stores the range of a value, a text without its quotes. An unset time has an empty range. */
function keep(field: number, { first, value, end }: FieldCursor): void {
  const isUnset = first === NULL && field === ENVELOPE.deletionTimestamp;
  const quote = field <= LAST_TEXT && first === QUOTE ? 1 : 0;
  envelope[field] = isUnset ? 0 : value + quote;
  envelope[field + 1] = isUnset ? 0 : end - quote;
}

/** Returns the text of a field, if its bytes are not that text. */
function textThatDiffers(bytes: Buffer, field: number): Buffer | undefined {
  const start = envelope[field] as number;
  const end = envelope[field + 1] as number;
  if (start === end) return undefined;
  const text = Buffer.from(JSON.parse(`"${bytes.toString('utf8', start, end)}"`) as string);
  return bytes.compare(text, 0, text.length, start, end) === 0 ? undefined : text;
}
