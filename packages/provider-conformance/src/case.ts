import type { Capability, ProviderDefinition, ProviderSetup } from './contract.ts';
import { failure } from './expectation.ts';
import type { Stage } from './stage.ts';

/** A capability that a case needs from a provider. */
export type Need = Capability | 'control planes';

export interface CaseDescription {
  readonly id: string;
  readonly title: string;
  /** Capabilities without which the case is left out. */
  readonly needs?: readonly Need[];
  /** In milliseconds. Default: 60,000. */
  readonly deadline?: number;
  readonly play: (stage: Stage) => Promise<void>;
}

/** Returns why a case does not apply to a provider, or `undefined` if it applies. */
export function leftOutBecause(
  { needs = [] }: CaseDescription,
  { members, without = {} }: ProviderDefinition,
): string | undefined {
  const reasons = needs.flatMap((need) => {
    if (need === 'control planes') return members === 'virtual' ? ['its clusters are virtual'] : [];
    return without[need] ?? [];
  });
  return reasons.length > 0 ? reasons.join(', and ') : undefined;
}

/** @throws {Error} if a setup does not match its definition. */
export function checkOperations(setup: ProviderSetup, { without = {} }: ProviderDefinition): void {
  for (const operation of OPTIONAL) {
    const isThere = setup[operation] !== undefined;
    if (isThere !== (without[operation] !== undefined)) continue;
    throw failure(
      {
        expected: `setup() returns ${operation}(), or "without" of the definition contains the reason why it does not apply`,
        hint: `add the operation, or without: { ${operation}: 'the reason' }: no case is left out silently`,
      },
      isThere ? 'both' : 'neither',
    );
  }
}

const OPTIONAL = ['change', 'relabel', 'break', 'unready', 'ready', 'outage', 'interrupt'] as const;

/** Returns the operations of a setup. Absent ones reject, because a case calls only those in its `needs`. */
export function operationsOf(setup: ProviderSetup): Required<ProviderSetup> {
  const absent = (need: Need) => () => Promise.reject(new TypeError(`the case does not declare that it needs ${need}`));
  return {
    createProvider: (options) => setup.createProvider(options),
    add: (member) => setup.add(member),
    remove: (name) => setup.remove(name),
    change: setup.change?.bind(setup) ?? absent('change'),
    relabel: setup.relabel?.bind(setup) ?? absent('relabel'),
    break: setup.break?.bind(setup) ?? absent('break'),
    unready: setup.unready?.bind(setup) ?? absent('unready'),
    ready: setup.ready?.bind(setup) ?? absent('ready'),
    outage: setup.outage?.bind(setup) ?? absent('outage'),
    interrupt: setup.interrupt?.bind(setup) ?? absent('interrupt'),
    clusterName: setup.clusterName?.bind(setup) ?? ((name) => name),
    dispose: setup.dispose?.bind(setup) ?? (() => Promise.resolve()),
  };
}
