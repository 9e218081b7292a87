import { foundText } from '../options/found-text.ts';
import { formatJson } from '../json/json.ts';
import { checkKind } from '../kinds/check-kind.ts';
import { checkWholeKind } from '../kinds/check-whole-kind.ts';
import { kindText, type Kind } from '../kinds/kind.ts';
import type { KubernetesList, KubernetesObject } from '../kinds/object.ts';
import { expected, listMetadataProblem, namedObjectProblem, objectProblem } from '../kinds/object-shape.ts';
import type { Table } from '../kinds/table.ts';
import { checkCallOptions } from './call-arguments.ts';
import type { ApplyOptions, DeleteOptions, ListOptions, PatchType } from './client.ts';
import { invalidResponse } from '../response/response-body.ts';

export const JSON_TYPE = 'application/json';

/** Content type of each patch. `apply` is server-side apply: its YAML may be JSON. */
export const PATCH_CONTENT_TYPES: Readonly<Record<PatchType | 'apply', string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export const TABLE_TYPE = `${JSON_TYPE};as=Table;g=meta.k8s.io;v=v1`;

/** Returns the `Accept` header for objects of a kind. Asks for metadata only if the kind is metadata-only. */
export function acceptOf(
  kind: Kind<KubernetesObject>,
  partial: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
): string {
  return kind.metadataOnly ? `${JSON_TYPE};as=${partial};g=meta.k8s.io;v=v1` : JSON_TYPE;
}

/** Sets the kind of an object: a list omits it, and a metadata-only read returns `PartialObjectMetadata`. */
export function ofKind<T extends KubernetesObject>({ apiVersion, kind }: Kind<T>, object: T): T {
  object.apiVersion = apiVersion;
  object.kind = kind;
  return object;
}

/**
 * Returns the server's response to `subject`, with its kind set.
 *
 * @throws {ApiError} if it is not an object, or a field of its metadata has a wrong type.
 */
export function objectOf<T extends KubernetesObject>(kind: Kind<T>, subject: string, answer: unknown): T {
  const problem = objectProblem(answer);
  if (problem !== undefined) throw invalidResponse(subject, problem);
  return ofKind(kind, answer as T);
}

/**
 * Returns a function that checks the items of a list as they are read, and sets their kind.
 *
 * @throws {ApiError} if an item is not an object with a name, or a field of its metadata has a wrong type.
 */
export function itemChecker(kind: Kind<KubernetesObject>, subject: string): (items: readonly unknown[]) => void {
  let count = 0;
  return (items) => {
    for (const item of items) {
      const problem = namedObjectProblem(item, `items[${count}]`);
      if (problem !== undefined) throw invalidResponse(subject, problem);
      ofKind(kind, item as KubernetesObject);
      count += 1;
    }
  };
}

/**
 * Returns the server's response to a list, after {@link itemChecker} has checked its items.
 *
 * @throws {ApiError} if it is not a list.
 */
export function listOf<T extends KubernetesObject>(subject: string, answer: unknown): KubernetesList<T> {
  const list = fieldsOf(subject, answer);
  const { items } = list;
  // Go encodes a nil slice as `null`.
  const problem = listMetadataProblem(list.metadata) ?? arrayProblem(items, 'items');
  if (problem !== undefined) throw invalidResponse(subject, problem);
  return { ...(list as unknown as KubernetesList<T>), items: (items ?? []) as T[] };
}

/**
 * Returns the server's response to a list as a table.
 *
 * @throws {ApiError} if it is not a table: not every server can return every kind as one.
 */
export function tableOf<T extends KubernetesObject>(subject: string, answer: unknown): Table<T> {
  const table = fieldsOf(subject, answer);
  const { columnDefinitions, rows } = table;
  const problem =
    listMetadataProblem(table.metadata) ??
    arrayProblem(columnDefinitions ?? undefined, 'columnDefinitions') ??
    arrayProblem(rows, 'rows');
  if (problem !== undefined) throw invalidResponse(subject, problem);
  return { ...(table as unknown as Table<T>), rows: (rows ?? []) as Table<T>['rows'] };
}

/**
 * Returns a function that checks the rows of a table as they are read.
 *
 * @throws {ApiError} if a row has no cells or an invalid object.
 */
export function rowChecker(subject: string): (rows: readonly unknown[]) => void {
  let count = 0;
  return (rows) => {
    for (const row of rows) {
      const { cells, object } = typeof row === 'object' && row !== null ? (row as Fields) : {};
      const problem =
        arrayProblem(cells ?? undefined, `rows[${count}].cells`) ??
        (object === undefined || object === null ? undefined : objectProblem(object, `rows[${count}].object`));
      if (problem !== undefined) throw invalidResponse(subject, problem);
      count += 1;
    }
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(subject: string, answer: unknown): Fields {
  if (typeof answer === 'object' && answer !== null) return answer as Fields;
  throw invalidResponse(subject, expected('the document', 'an object', answer));
}

function arrayProblem(value: unknown, path: string): string | undefined {
  return value === null || Array.isArray(value) ? undefined : expected(path, 'an array', value);
}

/**
 * The fields of a draft that the client reads. (The compiler cannot see fields of a deeply read-only type parameter.)
 */
interface DraftFields {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/**
 * Returns the namespace and the name of a draft.
 *
 * @throws {TypeError} if `kind` is not a kind, or the draft is not an object with metadata.
 */
export function keyOf(
  kind: Kind<KubernetesObject>,
  draft: unknown,
): { readonly namespace: string | undefined; readonly name: string } {
  checkKind('client call', kind);
  const { metadata } = (draft ?? {}) as { readonly metadata?: DraftFields['metadata'] | null };
  if (typeof metadata !== 'object' || metadata === null) {
    const found = Object(draft) === draft ? `metadata that is ${foundText(metadata)}` : foundText(draft);
    throw new TypeError(
      `${kindText(kind)}: expected an object with metadata, found ${found}: pass the kind first, then the object`,
    );
  }
  const { namespace, name = '' } = metadata;
  return { namespace, name };
}

/**
 * Returns the body of a create or an update.
 *
 * @throws {TypeError} if the kind is metadata-only, or the draft declares another kind or does not match the kind's
 *   schema.
 */
export function bodyOf(kind: Kind<KubernetesObject>, draft: unknown): string {
  checkWholeKind(kind);
  const checked = kind.schema?.safeParse(draft);
  if (checked?.success === false) {
    const issues = checked.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    throw new TypeError(`the object does not match the schema of ${kindText(kind)}: ${issues.join('; ')}`);
  }
  return labelledBody(kind, draft as DraftFields);
}

/**
 * Returns the body of a patch.
 *
 * @throws {TypeError} if `kind` is not a kind, or the patch is not an object or an array of operations.
 */
export function patchBodyOf(kind: Kind<KubernetesObject>, patch: unknown): string {
  checkKind('client call', kind);
  if (typeof patch === 'object' && patch !== null) return formatJson(patch);
  throw new TypeError(
    `patch of ${kindText(kind)}: expected a patch after the key, found ${foundText(patch)}: pass an object, or an array of operations`,
  );
}

/**
 * Returns the body of an apply.
 *
 * @throws {TypeError} if no field manager is named, or the configuration declares another kind.
 */
export function applyBodyOf(kind: Kind<KubernetesObject>, configuration: unknown, options: ApplyOptions = {}): string {
  checkCallOptions('write', kind, options);
  const { fieldManager } = options;
  if (typeof fieldManager !== 'string' || fieldManager === '') {
    const found = fieldManager === '' ? 'an empty string' : foundText(fieldManager);
    throw new TypeError(
      `apply of ${kindText(kind)}: option "fieldManager": expected the name of the owner of the applied fields, found ${found}: ` +
        'pass { fieldManager: "my-controller" }, or use a client of withFieldManager',
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
  return formatJson({ ...draft, apiVersion: kind.apiVersion, kind: kind.kind });
}

/** Returns the body of a delete: `DeleteOptions` of `meta/v1`. */
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
}: Omit<ListOptions, 'index' | 'shardSelector'>): Query {
  return { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit, continue: token };
}

/** Returns the query string, including its question mark. Omits undefined parameters. */
export function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
}
