import { formatQuantity, parseQuantity } from '../quantity.ts';
import { valueAt } from '../resource-type.ts';

/** Returns the warnings about a claim (upstream: `GetWarningsForPersistentVolumeClaimSpec`). */
export function claimSpecWarnings(field: string, spec: unknown): string[] {
  return ['requests', 'limits'].flatMap((part) => {
    const amount = parseQuantity(valueAt(spec, `resources.${part}.storage`));
    if (!amount || amount.nano % 1_000_000_000n === 0n) return [];
    const text = `fractional byte value ${JSON.stringify(formatQuantity(amount))} is invalid, must be an integer`;
    return [`${field}.resources.${part}[storage]: ${text}`];
  });
}
