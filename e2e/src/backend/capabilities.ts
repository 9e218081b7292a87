import type { BackendName, Run } from './run.ts';

/** Capabilities that a scenario may need besides a hub and members. */
export type Capability =
  /** `Site.kill()` and `Site.restart()`. */
  | 'restart'
  /** `Site.compact()`. */
  | 'compact'
  /** Clusters that are created and deleted while the scenario runs. */
  | 'create-clusters';

export interface Needs {
  /** Default: 0. */
  readonly members?: number;
  readonly capabilities?: readonly Capability[];
  /** Names of the CustomResourceDefinitions that the scenario installs in the hub. */
  readonly definitions?: readonly string[];
}

const OUTSIDE = {
  restart: 'the API server is not a process of this machine that a test may kill',
  compact: 'etcd cannot be reached, so its history cannot be compacted on demand',
};

/** Capabilities that a backend lacks, with the reason. */
const LACKS: Readonly<Record<BackendName, Partial<Record<Capability, string>>>> = {
  embedded: {},
  binaries: {},
  kind: OUTSIDE,
  existing: { ...OUTSIDE, 'create-clusters': 'the clusters are given, and none is created' },
};

/** Returns why a run cannot play a scenario with these needs, or `undefined`. */
export function lacks({ backend, clusters, takenDefinitions }: Run, needs: Needs): string | undefined {
  const { members = 0, capabilities = [], definitions = [] } = needs;
  for (const capability of capabilities) {
    const reason = LACKS[backend][capability];
    if (reason !== undefined) return `backend ${backend} lacks "${capability}": ${reason}`;
  }
  const given = clusters.length - 1;
  if (given >= 0 && given < members) return `needs ${members} member clusters, found ${given}`;
  const taken = definitions.find((definition) => takenDefinitions.includes(definition));
  if (taken !== undefined) return `the hub has a CustomResourceDefinition ${taken} of its own, which must stay as is`;
  return undefined;
}
