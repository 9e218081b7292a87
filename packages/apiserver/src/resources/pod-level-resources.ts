import type { JsonObject } from '../storage/stored-object.ts';
import { listAt } from './cells.ts';
import type { Quantity } from './quantity.ts';
import { formatQuantity, parseQuantity } from './quantity.ts';
import { valueAt } from './resource-type.ts';

/** Resources that a Pod can request for all its containers together. */
export const POD_RESOURCES: readonly string[] = ['cpu', 'hugepages-', 'memory'];

const isHuge = (name: string): boolean => name.startsWith('hugepages-');

/** Reports whether a Pod can request a resource for all its containers together. */
export function isPodResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHuge(name);
}

type Amounts = ReadonlyMap<string, Quantity>;

function amountsOf(container: unknown, part: string): Amounts {
  const amounts = Object.entries((valueAt(container, `resources.${part}`) ?? {}) as JsonObject);
  return new Map(
    amounts.flatMap(([name, amount]) => {
      const quantity = parseQuantity(amount);
      return quantity ? [[name, quantity] as const] : [];
    }),
  );
}

/** Returns the larger or the summed amounts of two lists. The format is that of the first. */
function combined(left: Amounts, right: Amounts, combine: (a: bigint, b: bigint) => bigint): Amounts {
  const names = new Set([...left.keys(), ...right.keys()]);
  return new Map(
    [...names].map((name) => {
      const [a, b] = [left.get(name), right.get(name)];
      const format = (a ?? b)?.format ?? 'decimal';
      return [name, a && b ? { nano: combine(a.nano, b.nano), format } : { nano: (a ?? b)?.nano ?? 0n, format }];
    }),
  );
}

const sum = (left: Amounts, right: Amounts): Amounts => combined(left, right, (a, b) => a + b);
const most = (left: Amounts, right: Amounts): Amounts => combined(left, right, (a, b) => (a > b ? a : b));

/**
 * Returns what the containers of a Pod need together. (Upstream: `AggregateContainerRequests` and
 * `AggregateContainerLimits` of component-helpers.)
 */
export function aggregated(spec: unknown, part: 'limits' | 'requests'): Amounts {
  let all: Amounts = new Map();
  for (const container of listAt(spec, 'containers')) all = sum(all, amountsOf(container, part));
  let [sidecars, first]: [Amounts, Amounts] = [new Map(), new Map()];
  for (const container of listAt(spec, 'initContainers')) {
    const own = amountsOf(container, part);
    const restarts = valueAt(container, 'restartPolicy') === 'Always';
    if (restarts) [all, sidecars] = [sum(all, own), sum(sidecars, own)];
    first = most(first, restarts ? sidecars : sum(own, sidecars));
  }
  return most(all, first);
}

/**
 * Sets the limits of huge pages and the requests of a Pod from those of its containers, if it has some of its own. (Upstream:
 * `defaultHugePagePodLimits` and `defaultPodRequests`.)
 */
export function setPodResources(spec: JsonObject): void {
  const resources = spec['resources'] as JsonObject | undefined;
  if (!resources) return;
  const limits = { ...(resources['limits'] as JsonObject | undefined) };
  const requests = { ...(resources['requests'] as JsonObject | undefined) };
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return;
  for (const [name, amount] of aggregated(spec, 'limits')) {
    if (isHuge(name) && requests[name] === undefined) limits[name] ??= formatQuantity(amount);
  }
  if (Object.keys(limits).length > 0) {
    resources['limits'] = limits;
    for (const [name, amount] of aggregated(spec, 'requests')) {
      if (isPodResource(name) && !isHuge(name)) requests[name] ??= formatQuantity(amount);
    }
    for (const [name, amount] of Object.entries(limits)) if (isPodResource(name)) requests[name] ??= amount;
  }
  if (Object.keys(requests).length > 0) resources['requests'] = requests;
}
