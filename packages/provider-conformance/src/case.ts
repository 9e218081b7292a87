import type { ProviderSetup } from './contract.ts';
import type { Stage } from './stage.ts';

/** What a provider may have no such thing of. */
export type Need = 'change' | 'relabel' | 'break' | 'unready' | 'ready' | 'outage' | 'interrupt' | 'control planes';

export interface CaseDescription {
  readonly id: string;
  readonly title: string;
  /** Without one of these the case is left out. */
  readonly needs?: readonly Need[];
  /** Milliseconds. Default: 60,000. */
  readonly deadline?: number;
  readonly play: (stage: Stage) => Promise<void>;
}

/** Why a case cannot be played with a provider, if it cannot. */
export function leftOutBecause({ needs = [] }: CaseDescription, stage: Stage): string | undefined {
  const missing = needs.filter((need) =>
    need === 'control planes' ? stage.isVirtual : stage.setup[need] === undefined,
  );
  if (missing.length === 0) return undefined;
  return missing
    .map((need) => (need === 'control planes' ? 'its members are virtual' : `its setup has no ${need}()`))
    .join(', and ');
}

/** The operations of a setup, of which a case calls only those that it says it needs. */
export function operationsOf(setup: ProviderSetup): Required<ProviderSetup> {
  const absent = (need: Need) => () => Promise.reject(new TypeError(`the case does not say that it needs ${need}`));
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
