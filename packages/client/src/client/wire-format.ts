import { hasMetadata } from '../kinds/has-metadata.ts';
import { kindText, type Kind } from '../kinds/kind.ts';
import type { KubernetesList, KubernetesObject } from '../kinds/object.ts';
import type { Table } from '../kinds/table.ts';
import { ApiError } from './api-error.ts';
import type { ApplyOptions, DeleteOptions, ListOptions, PatchType } from './client.ts';

export const JSON_TYPE = 'application/json';

/** How each patch is said to be written; `apply` is server-side apply, whose YAML may be JSON. */
export const PATCH_CONTENT_TYPES: Readonly<Record<PatchType | 'apply', string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export const TABLE_TYPE = `${JSON_TYPE};as=Table;g=meta.k8s.io;v=v1`;

/** What to ask for of objects of a kind: all of them or, of a metadata-only kind, the metadata. */
export function acceptOf(
  kind: Kind<KubernetesObject>,
  partial: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
): string {
  return kind.metadataOnly ? `${JSON_TYPE};as=${partial};g=meta.k8s.io;v=v1` : JSON_TYPE;
}

/** Objects carry their own kind: a list leaves it out, and a metadata-only read says `PartialObjectMetadata`. */
export function ofKind<T extends KubernetesObject>({ apiVersion, kind }: Kind<T>, object: T): T {
  object.apiVersion = apiVersion;
  object.kind = kind;
  return object;
}

/**
 * What the server answered to a list, each item with its kind.
 *
 * @throws {ApiError} when it is not a list of objects.
 */
export function listOf<T extends KubernetesObject>(kind: Kind<T>, answer: unknown): KubernetesList<T> {
  if (!isList<T>(answer)) {
    throw new ApiError({ code: 200, message: `the server's answer is not a list of ${kindText(kind)}` });
  }
  const items = answer.items ?? [];
  for (const item of items) ofKind(kind, item);
  return { ...answer, items };
}

/**
 * What the server answered to a list as a table.
 *
 * @throws {ApiError} when it is none: not every server can show every kind so.
 */
export function tableOf<T extends KubernetesObject>(kind: Kind<T>, answer: unknown): Table<T> {
  if (!isTable<T>(answer)) {
    throw new ApiError({ code: 200, message: `the server's answer is not a table of ${kindText(kind)}` });
  }
  return { ...answer, rows: answer.rows ?? [] };
}

function isTable<T extends KubernetesObject>(
  value: unknown,
): value is Omit<Table<T>, 'rows'> & { readonly rows: Table<T>['rows'] | null } {
  if (!hasMetadata(value) || !('columnDefinitions' in value) || !('rows' in value)) return false;
  return Array.isArray(value.columnDefinitions) && (value.rows === null || Array.isArray(value.rows));
}

/** Go writes a slice that was never made as `null`. */
type ListAnswer<T> = Omit<KubernetesList<T>, 'items'> & { readonly items: T[] | null };

function isList<T extends KubernetesObject>(value: unknown): value is ListAnswer<T> {
  if (!hasMetadata(value) || !('items' in value)) return false;
  return value.items === null || (Array.isArray(value.items) && value.items.every(hasMetadata));
}

/** What the client itself reads of a draft. (The compiler sees no field of a deeply read-only type parameter.) */
interface DraftFields {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/** Where a draft says that it belongs. */
export function keyOf(draft: unknown): { readonly namespace: string | undefined; readonly name: string } {
  const { namespace, name = '' } = (draft as DraftFields).metadata;
  return { namespace, name };
}

/**
 * The body of a create or an update.
 *
 * @throws {TypeError} when the draft says that it is of another kind, or does not fit the kind's schema.
 */
export function bodyOf(kind: Kind<KubernetesObject>, draft: unknown): string {
  const checked = kind.schema?.safeParse(draft);
  if (checked?.success === false) {
    const issues = checked.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    throw new TypeError(`the object is no ${kindText(kind)} by its schema: ${issues.join('; ')}`);
  }
  return labelledBody(kind, draft as DraftFields);
}

/**
 * The body of an apply.
 *
 * @throws {TypeError} when nobody is named who applies, or the configuration says that it is of another kind.
 */
export function applyBodyOf(
  kind: Kind<KubernetesObject>,
  configuration: unknown,
  { fieldManager }: ApplyOptions = {},
): string {
  if (!fieldManager) {
    throw new TypeError(
      'options.fieldManager is missing: name who applies, for that owns the fields, or use a client of withFieldManager',
    );
  }
  return labelledBody(kind, configuration as DraftFields);
}

function labelledBody(kind: Kind<KubernetesObject>, draft: DraftFields): string {
  for (const field of ['apiVersion', 'kind'] as const) {
    if (draft[field] !== undefined && draft[field] !== kind[field]) {
      throw new TypeError(`${field} is ${JSON.stringify(draft[field])}: expected an object of ${kindText(kind)}`);
    }
  }
  return JSON.stringify({ ...draft, apiVersion: kind.apiVersion, kind: kind.kind });
}

/** The `DeleteOptions` of the API. */
export function deleteBodyOf({ preconditions, propagationPolicy, gracePeriodSeconds, dryRun }: DeleteOptions): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions,
    propagationPolicy,
    gracePeriodSeconds,
    ...(dryRun && { dryRun: ['All'] }),
  });
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function listQuery({
  labelSelector,
  fieldSelector,
  resourceVersion,
  resourceVersionMatch,
  limit,
  continue: token,
}: ListOptions): Query {
  return { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit, continue: token };
}

/** With its question mark; without what is undefined. */
export function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
}
