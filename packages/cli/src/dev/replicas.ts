import type { ClusterConfig } from '@mcr/core';
import type { Output } from '../command/output.ts';
import type { LocalEndpoints, Project } from '../project/project.ts';
import type { Definitions } from './definitions.ts';
import type { LoadedFiles } from './loaded-files.ts';
import type { ProgramOptions } from './program.ts';
import { releaseLeases } from './release-leases.ts';
import { Replica } from './replica.ts';
import { addressVariables, type ReplicaAddresses } from './replica-addresses.ts';
import type { Say } from './say.ts';

export interface ReplicasOptions {
  readonly hub: ClusterConfig;
  readonly project: Project;
  readonly program: Pick<ProgramOptions, 'file' | 'config' | 'directory'>;
  /** Variables that all replicas have. */
  readonly env: Readonly<Record<string, string>>;
  readonly addresses: readonly ReplicaAddresses[];
  /** Endpoints of the replicas, in the order of the addresses. */
  readonly endpoints: readonly LocalEndpoints[];
  readonly files: LoadedFiles;
  readonly definitions: Definitions;
  readonly say: Say;
  readonly output: Output;
}

/** Returns the replicas of a program. They do not run yet. The lines of several replicas begin with their names. */
export function createReplicas(options: ReplicasOptions): Replica[] {
  const { signal } = options.output;
  const { hub, project, program, env, addresses, endpoints, files, definitions, say, output } = options;
  return addresses.map((each, index) => {
    const pod = `${project.name}-${index}`;
    const name = addresses.length === 1 ? project.name : pod;
    return new Replica({
      ...program,
      name,
      endpoints: endpoints[index] ?? {},
      env: { ...env, ...addressVariables(each), POD_NAME: pod },
      ...(addresses.length > 1 && {
        onLine: (line, stream) => (stream === 'stdout' ? output.print : output.warn)(`${name} | ${line}\n`),
      }),
      onFile: (path) => files.add(path),
      onDefinitions: async (changed) => {
        await definitions.install(changed);
        await releaseLeases(hub, { namespace: project.namespace, pod, signal }).catch((error: unknown) => {
          if (!signal.aborted) say.problem(`${name}: failed to release its Leases: ${(error as Error).message}`);
        });
      },
      onEnd: (reason) => say.problem(`${name} ended with ${reason}: waiting for a change`),
    });
  });
}
