import * as z from 'zod';

const recordSchema = z.object({
  name: z.string().min(1),
  state: z.enum(['ready', 'pending']),
  labels: z.record(z.string(), z.string()).default({}),
  kubeconfig: z.string(),
});

/** A record of one cluster. */
export type InventoryRecord = z.infer<typeof recordSchema>;

/** A record with a name that is otherwise invalid. */
export interface BadRecord {
  readonly name: string;
  readonly problem: string;
}

const namedSchema = z.looseObject({ name: z.string().min(1) });

/**
 * Parses each record separately, so that an invalid one does not affect others. Skips records without a name.
 *
 * @throws {TypeError} if the value is not a list.
 */
export function parseInventory(value: unknown): (InventoryRecord | BadRecord)[] {
  if (!Array.isArray(value)) throw new TypeError('the inventory is not a list of records');
  return value.flatMap((candidate: unknown): (InventoryRecord | BadRecord)[] => {
    const record = recordSchema.safeParse(candidate);
    if (record.success) return [record.data];
    const named = namedSchema.safeParse(candidate);
    if (!named.success) return [];
    // Only the path: a message could quote the value, which may be a credential.
    const fields = record.error.issues.map(({ path }) => path.join('.')).join(', ');
    return [{ name: named.data.name, problem: `its record in the inventory has invalid fields: ${fields}` }];
  });
}
