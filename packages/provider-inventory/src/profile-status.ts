import type { DeepReadonly } from '@mcr/core';
import { checkedField } from '@mcr/core/provider';
import * as z from 'zod';
import type { ClusterProfile } from './cluster-profile.ts';

const accessProvider = z.object({
  name: z.string().min(1).max(253),
  cluster: z
    .looseObject({
      extensions: z.array(z.object({ name: z.string(), extension: z.unknown().optional() })).nullish(),
    })
    .nullish(),
});

const profileSpec = z.looseObject({ clusterManager: z.looseObject({ name: z.string().max(253) }) });

/** The limits of names and values are those of the API (KEP-4322). */
const profileStatus = z.object({
  conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).nullish(),
  properties: z.array(z.object({ name: z.string().min(1).max(253), value: z.string().max(1024) })).nullish(),
  credentialProviders: z.array(accessProvider).nullish(),
  accessProviders: z.array(accessProvider).nullish(),
});

/** The checked status of a profile. */
export type ProfileStatus = z.infer<typeof profileStatus>;
export type ProfileAccess = z.infer<typeof accessProvider>;

/** @throws {TerminalError} if a field of `spec` or `status` has a wrong type; the message names it. */
export function statusOf({ spec, status }: DeepReadonly<ClusterProfile>): ProfileStatus {
  checkedField('spec', profileSpec, spec);
  return checkedField('status', profileStatus, status ?? {});
}
