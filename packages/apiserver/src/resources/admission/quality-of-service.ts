import type { JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import type { Quantity } from '../quantity.ts';
import { parseQuantity } from '../quantity.ts';
import { valueAt } from '../resource-type.ts';

const COUNTED = ['cpu', 'memory'];

type Amounts = Readonly<Record<string, Quantity | undefined>>;

/** Returns the class of a Pod by its requests and limits (upstream: `qos.ComputePodQOS`). */
export function qualityOfService(spec: JsonObject): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const podLevel = spec['resources'];
  const holders = podLevel === undefined ? [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')] : [spec];
  const pairs = holders.map((holder) => ({
    limits: amountsAt(holder, 'resources.limits'),
    requests: amountsAt(holder, 'resources.requests'),
  }));
  const all = pairs.flatMap(({ limits, requests }) => [...Object.values(limits), ...Object.values(requests)]);
  if (all.every((amount) => amount === undefined)) return 'BestEffort';
  const isGuaranteed = pairs.every(({ limits, requests }) =>
    COUNTED.every((name) => limits[name] !== undefined && limits[name].nano === requests[name]?.nano),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

/** Returns the positive amounts that count. */
function amountsAt(holder: unknown, path: string): Amounts {
  const entries = COUNTED.map((name) => {
    const quantity = parseQuantity(valueAt(holder, `${path}.${name}`));
    return [name, quantity && quantity.nano > 0n ? quantity : undefined] as const;
  });
  return Object.fromEntries(entries);
}
