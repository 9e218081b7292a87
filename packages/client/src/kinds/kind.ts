import { checkKnownOptions, foundText } from '../options/known-options.ts';
import type { KubernetesObject } from './object.ts';

export type Scope = 'Namespaced' | 'Cluster';

declare const objectType: unique symbol;

/** Names a resource type, and carries the TypeScript type of its objects. Made by {@link defineKind}. */
export interface Kind<T extends KubernetesObject> {
  readonly apiVersion: string;
  readonly kind: string;
  /** The resource name in URLs, for example `configmaps`. Found by discovery when absent. */
  readonly plural?: string;
  /** Found by discovery when absent. */
  readonly scope?: Scope;
  /** What objects have to be like before they are sent. */
  readonly schema?: ObjectSchema<unknown>;
  /** Only the metadata of the objects is read; see {@link partialMetadata}. */
  readonly metadataOnly?: true;
  /** Exists for the type checker only; never set. */
  readonly [objectType]?: T;
}

/** A schema of zod, or of whatever checks values as zod does. `Fields` is what it makes of a value. */
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

export interface KindDefinition<Fields> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural?: string;
  readonly scope?: Scope;
  /**
   * The fields besides `apiVersion`, `kind` and `metadata`, by a zod object. The type of the objects follows from it,
   * and `create` and `update` refuse, before anything is sent, what does not fit. It changes nothing of what is sent,
   * and what is read is not checked: the server has done so by the schema of the CustomResourceDefinition.
   */
  readonly schema?: ObjectSchema<Fields>;
}

/** The type of a kind's objects: one that is complete by itself, or fields that are added to every object's. */
export type ObjectOf<Fields> = Fields extends KubernetesObject ? Fields : KubernetesObject & Fields;

/**
 * Declares a kind of object, by its type or by a schema.
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
): Kind<ObjectOf<Fields>> {
  checkDefinition(definition);
  return Object.freeze({ ...definition });
}

const FIELDS = ['apiVersion', 'kind', 'plural', 'scope', 'schema', 'metadataOnly'];

function checkDefinition(definition: unknown): void {
  checkKnownOptions('defineKind', definition, FIELDS);
  const { apiVersion, kind, plural, scope, schema } = definition as Readonly<Record<string, unknown>>;
  const refuse = (field: string, expected: string, value: unknown) => {
    const found = typeof value === 'string' ? JSON.stringify(value) : foundText(value);
    throw new TypeError(`defineKind: ${field}: expected ${expected}, found ${found}`);
  };
  if (typeof apiVersion !== 'string' || !/^[^/\s]+(\/[^/\s]+)?$/.test(apiVersion)) {
    refuse('apiVersion', 'a version such as "v1", or a group and version such as "example.com/v1"', apiVersion);
  }
  if (typeof kind !== 'string' || kind === '') refuse('kind', 'a name such as "Widget"', kind);
  if (plural !== undefined && (typeof plural !== 'string' || plural === '')) {
    refuse('plural', 'the name in URLs, such as "widgets", or none', plural);
  }
  if (scope !== undefined && scope !== 'Namespaced' && scope !== 'Cluster') {
    refuse('scope', '"Namespaced", "Cluster" or none', scope);
  }
  if (schema !== undefined && typeof (Object(schema) as { safeParse?: unknown }).safeParse !== 'function') {
    refuse('schema', 'a zod schema', schema);
  }
}

/** The same kind, read as metadata only: what is watched and cached of each object is `apiVersion`, `kind` and `metadata`. */
export function partialMetadata(kind: Kind<KubernetesObject>): Kind<KubernetesObject> {
  return Object.freeze({ ...kind, metadataOnly: true as const });
}

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

/** The kind's text for logs, errors and map keys, for example `apps/v1 Deployment`. */
export function kindText({ apiVersion, kind, metadataOnly }: Kind<KubernetesObject>): string {
  return `${apiVersion} ${kind}${metadataOnly ? ' (metadata)' : ''}`;
}
