import { z } from 'zod';

const recordSchema = z.object({
  name: z.string().min(1),
  state: z.enum(['ready', 'pending']),
  labels: z.record(z.string(), z.string()).default({}),
  kubeconfig: z.string(),
});

/** What the inventory says of one cluster. */
export type InventoryRecord = z.infer<typeof recordSchema>;

/** A record that has a name, and cannot be used. */
export interface BadRecord {
  readonly name: string;
  readonly problem: string;
}

const namedSchema = z.looseObject({ name: z.string().min(1) });

/**
 * Each record is looked at for itself: one that is broken hides no other. One without a name stands for no cluster.
 *
 * @throws {TypeError} when it is no list at all.
 */
export function parseInventory(value: unknown): (InventoryRecord | BadRecord)[] {
  if (!Array.isArray(value)) throw new TypeError('the inventory is no list of records');
  return value.flatMap((candidate: unknown): (InventoryRecord | BadRecord)[] => {
    const record = recordSchema.safeParse(candidate);
    if (record.success) return [record.data];
    const named = namedSchema.safeParse(candidate);
    if (!named.success) return [];
    // The path only: a message could quote what was read, and that may be a credential.
    const fields = record.error.issues.map(({ path }) => path.join('.')).join(', ');
    return [{ name: named.data.name, problem: `its record in the inventory is wrong in ${fields}` }];
  });
}
