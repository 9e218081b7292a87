import * as z from 'zod';
import { parseOptions } from '../options/parse-options.ts';
import type { KubernetesObject } from './object.ts';

/** Whether the objects of a kind are in namespaces. */
export type Scope = 'Namespaced' | 'Cluster';

declare const objectType: unique symbol;

/** Identifies a resource type and carries the TypeScript type of its objects. Created by {@link defineKind}. */
export interface Kind<T extends KubernetesObject> {
  readonly apiVersion: string;
  readonly kind: string;
  /** The resource name in URLs, for example `configmaps`. Default: found by discovery. */
  readonly plural?: string;
  /** Default: found by discovery. */
  readonly scope?: Scope;
  /** Validates objects before they are sent. */
  readonly schema?: ObjectSchema<unknown>;
  /** Reads only the metadata of the objects; see {@link partialMetadata}. */
  readonly metadataOnly?: true;
  /** Exists only for the type checker; never set. */
  readonly [objectType]?: T;
}

/** A zod schema, or any object with the same `safeParse`. `Fields` is the type of a parsed value. */
export interface ObjectSchema<Fields> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: Fields }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
        };
      };
}

/** Fields of {@link defineKind}. */
export interface KindDefinition<Fields> {
  /** Group and version, for example `apps/v1`, or `v1` for the core group. */
  readonly apiVersion: string;
  /** For example `Deployment`. */
  readonly kind: string;
  /** The resource name in URLs, for example `deployments`. Default: found by discovery. */
  readonly plural?: string;
  /** Default: found by discovery. */
  readonly scope?: Scope;
  /**
   * Zod schema of the fields besides `apiVersion`, `kind` and `metadata`. It determines the type of the objects.
   * `create` and `update` refuse objects that do not match it, before anything is sent. It does not change what is
   * sent. Objects that are read are not checked, because the server has validated them with the schema of the
   * CustomResourceDefinition.
   */
  readonly schema?: ObjectSchema<Fields>;
}

/** The type of the objects of a kind, as they are read: `ObjectOf<typeof Deployment>`. */
export type ObjectOf<K extends Kind<KubernetesObject>> = K extends Kind<infer T> ? T : never;

/** `Fields` itself if it is a complete object type, otherwise `Fields` added to {@link KubernetesObject}. */
export type ObjectWith<Fields> = Fields extends KubernetesObject ? Fields : KubernetesObject & Fields;

/**
 * Declares a kind, by the type of its objects or by a schema.
 *
 * @example
 * interface Widget extends KubernetesObject { spec: { size: number } }
 * const Widget = defineKind<Widget>({ apiVersion: 'example.com/v1', kind: 'Widget' });
 *
 * const schema = z.object({ spec: z.object({ size: z.number() }) });
 * const Gadget = defineKind({ apiVersion: 'example.com/v1', kind: 'Gadget', schema });
 * @throws {TypeError} that names the field, if one is missing, unknown or wrong.
 */
export function defineKind<Fields extends object = KubernetesObject>(
  definition: KindDefinition<Fields>,
): Kind<ObjectWith<Fields>> {
  parseOptions('defineKind', definitionSchema, definition);
  return Object.freeze({ ...definition });
}

const VERSION = 'expected a version such as "v1", or a group and version such as "example.com/v1"';
const NAME = 'expected a name such as "Widget"';
const PLURAL = 'expected the name in URLs, such as "widgets", or none';

const definitionSchema = z.strictObject({
  apiVersion: z.string(VERSION).regex(/^[^/\s]+(\/[^/\s]+)?$/, VERSION),
  kind: z.string(NAME).min(1, NAME),
  plural: z.string(PLURAL).min(1, PLURAL).optional(),
  scope: z.enum(['Namespaced', 'Cluster'], 'expected "Namespaced", "Cluster" or none').optional(),
  schema: z
    .custom(
      (value) => typeof (Object(value) as { safeParse?: unknown }).safeParse === 'function',
      'expected a zod schema',
    )
    .optional(),
  metadataOnly: z.unknown().optional(),
});

/**
 * Returns a metadata-only variant of a kind: reads, watches and caches contain only `apiVersion`, `kind` and
 * `metadata`. `create` and `update` refuse it, because they would remove the other fields; `patch` and `apply` accept
 * it.
 */
export function partialMetadata(kind: Kind<KubernetesObject>): Kind<KubernetesObject> {
  return Object.freeze({ ...kind, metadataOnly: true as const });
}

/** Group and version of an `apiVersion`. (Upstream: `schema.GroupVersion`.) */
export interface GroupVersion {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
}

/** Splits an `apiVersion`: `apps/v1` is group `apps`, version `v1`; `v1` is version `v1` of the core group `''`. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Returns the text of a kind for logs, errors and map keys, for example `apps/v1 Deployment`. */
export function kindText({ apiVersion, kind, metadataOnly }: Kind<KubernetesObject>): string {
  return `${apiVersion} ${kind}${metadataOnly ? ' (metadata)' : ''}`;
}
