import type { Kind, KubernetesObject } from '@mcr/client';
import { checkKind, namespaceSchema, parseOptions } from '@mcr/client';
import * as z from 'zod';

/** A permission that a part of a program needs in a cluster. (Kubernetes: a `PolicyRule` of RBAC.) */
export interface Permission {
  readonly kind: Kind<KubernetesObject>;
  /** For example `status` or `scale`. Default: the objects themselves. */
  readonly subresource?: string;
  /** The verbs of RBAC, for example `get` or `patch`. */
  readonly verbs: readonly string[];
  /** Names of the objects. Default: all. RBAC cannot limit `create` by names, except for server-side apply. */
  readonly names?: readonly string[];
  /** Namespaces of the objects. Default: all. */
  readonly namespaces?: readonly string[];
  /** Where it is needed: in the local cluster, or in the clusters of the provider. */
  readonly in: 'local' | 'members';
}

/** A {@link Permission} that is needed in each cluster of a part of a program, for example of a source. */
export type SourcePermission = Omit<Permission, 'in'>;

/** A {@link Permission} with the part of the program that needs it. */
export interface DeclaredPermission extends Permission {
  /** For example `controller "shop": for(Shop)`. */
  readonly neededBy: string;
}

const word = z.string().regex(/^(\*|[a-z]+)$/, 'expected a verb of RBAC in lower case, such as "patch"');
/** The names that can be parts of paths. (Upstream: `IsValidPathSegmentName`.) */
const name = z
  .string()
  .regex(/^(?!\.{1,2}$|\*$)[^/%\s\p{C}]+$/u, 'expected the name of an object, without wildcards')
  .max(253, 'expected a name of at most 253 characters');

const schema = z.strictObject({
  kind: z.unknown(),
  subresource: z
    .string()
    .regex(/^[a-z]+(\/[a-z]+)?$/, 'expected a subresource such as "status"; RBAC has no wildcard for them')
    .exactOptional(),
  verbs: z.array(word).min(1, 'expected at least one verb'),
  names: z.array(name).min(1, 'expected at least one name; leave it out for all objects').exactOptional(),
  namespaces: z
    .array(namespaceSchema)
    .min(1, 'expected at least one namespace; leave it out for all namespaces')
    .exactOptional(),
  in: z.enum(['local', 'members']),
} satisfies Record<keyof Permission, z.ZodType>);

/** @throws {TypeError} if a permission is invalid. The message begins with `subject` and names the field. */
export function checkPermissions(subject: string, permissions: readonly Permission[]): void {
  for (const permission of permissions) {
    parseOptions(`${subject}: permission`, schema, permission);
    checkKind(`${subject}: permission`, permission.kind);
  }
}

/**
 * Returns the name by which RBAC knows the kind of a permission.
 *
 * @throws {TypeError} if the kind has no `plural`. The message begins with the part that needs the permission.
 */
export function pluralOf({ kind: { apiVersion, kind, plural }, neededBy }: DeclaredPermission): string {
  if (plural !== undefined) return plural;
  throw new TypeError(
    `${neededBy}: the kind ${kind} of ${apiVersion} has no plural, and RBAC names kinds by it: set plural where the kind is defined`,
  );
}
