import * as z from 'zod';
import type { Token } from '../access/tokens.ts';
import { tokenSchema } from '../access/tokens.ts';
import type { StoreEvent } from './event-log.ts';
import type { ApiObject, StoredObject } from './stored-object.ts';

const text = z.string().min(1);

/** The fields that the store reads. */
const storedObject = z.looseObject({
  kind: text,
  apiVersion: text,
  metadata: z.looseObject({
    name: text,
    namespace: z.string().optional(),
    uid: text,
    resourceVersion: z
      .string()
      .regex(/^[1-9]\d*$/u)
      .refine((version) => Number.isSafeInteger(Number(version))),
    labels: z.record(z.string(), z.string()).optional(),
    ownerReferences: z.array(z.looseObject({ uid: text })).optional(),
  }),
});

const entry = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('listen'), port: z.int() }),
  tokenSchema.extend({ op: z.literal('issue') }),
  z.strictObject({ op: z.literal('revoke'), token: z.string() }),
  z.strictObject({ op: z.literal('compact') }),
  /** The version of the latest write, which may have been a deletion. */
  z.strictObject({ op: z.literal('version'), version: z.int().positive() }),
  z.strictObject({
    op: z.literal('write'),
    type: z.enum(['ADDED', 'MODIFIED', 'DELETED']),
    resource: z.string(),
    fields: z.record(z.string(), z.string()),
    object: z.custom<ApiObject>((value) => storedObject.safeParse(value).success),
  }),
]);

/** An entry of the journal. */
export type JournalEntry = z.infer<typeof entry>;

/** State of a cluster, from which its journal can be written again. */
export interface JournalState {
  readonly version: number;
  /** The live objects, in the order of their versions. */
  readonly objects: readonly StoredObject[];
}

/** Parses a line. @throws {Error} if it is not an entry. */
export function parseEntry(line: string): JournalEntry {
  return entry.parse(JSON.parse(line));
}

/** Returns the line of a write. */
export function writeLine({ type, object }: Pick<StoreEvent, 'type' | 'object'>): Buffer {
  const { resource, fields, json } = object;
  const head = `${JSON.stringify({ op: 'write', type, resource, fields }).slice(0, -1)},"object":`;
  return Buffer.concat([Buffer.from(head), json, Buffer.from('}\n')]);
}

/** Returns the line of any other entry. */
export function entryLine(other: Exclude<JournalEntry, { op: 'write' }>): Buffer {
  return Buffer.from(`${JSON.stringify(other)}\n`);
}

/** Contents of a journal besides the objects. */
interface Surroundings {
  readonly port: number | undefined;
  readonly tokens: readonly Token[];
  /** Revoked tokens of service accounts. */
  readonly revoked: readonly string[];
}

/** Yields the lines of a journal that contains only the current state. */
export function* stateLines(
  { version, objects }: JournalState,
  { port, tokens, revoked }: Surroundings,
): Generator<Buffer> {
  if (port !== undefined) yield entryLine({ op: 'listen', port });
  for (const token of tokens) yield entryLine({ op: 'issue', ...token });
  for (const token of revoked) yield entryLine({ op: 'revoke', token });
  for (const object of objects) yield writeLine({ type: 'ADDED', object });
  yield entryLine({ op: 'version', version });
  // Lists and watches of earlier versions would miss the writes that are not in the journal.
  yield entryLine({ op: 'compact' });
}
