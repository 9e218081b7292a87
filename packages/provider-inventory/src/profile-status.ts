import type { DeepReadonly } from '@mcr/core';
import type { ZodType } from 'zod';
import { z } from 'zod';
import type { ClusterProfile } from './cluster-profile.ts';

/** Longer than any message about a profile has to be, in characters. */
const LONGEST_PROBLEM = 300;

const accessProvider = z.object({
  name: z.string().min(1).max(253),
  cluster: z
    .looseObject({
      extensions: z.array(z.object({ name: z.string(), extension: z.unknown().optional() })).nullish(),
    })
    .nullish(),
});

/** The bounds of names and values are those of the API (KEP-4322). */
const profileStatus = z.object({
  properties: z.array(z.object({ name: z.string().min(1).max(253), value: z.string().max(1024) })).nullish(),
  credentialProviders: z.array(accessProvider).nullish(),
  accessProviders: z.array(accessProvider).nullish(),
});

/** What a profile says of its cluster, once it is known to be said in due form. */
export type ProfileStatus = z.infer<typeof profileStatus>;
export type ProfileAccess = z.infer<typeof accessProvider>;

/** @throws {TypeError} that names the field that is not as it must be. */
export function statusOf({ status }: DeepReadonly<ClusterProfile>): ProfileStatus {
  return checked(profileStatus, status ?? {}, 'status');
}

/**
 * `value`, when `schema` takes it.
 *
 * @param place where the value stands, for the message.
 * @throws {TypeError} that names the field, and quotes nothing of its value.
 */
export function checked<T>(schema: ZodType<T>, value: unknown, place: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const problem = `${[place, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'is not valid'}`;
  throw new TypeError(problem.slice(0, LONGEST_PROBLEM));
}
