/* The fields of discovery documents that this package reads. */

/** `APIGroupDiscoveryList` of `apidiscovery.k8s.io`, `v2` and `v2beta1`. */
export interface AggregatedDiscovery {
  readonly items: readonly {
    /** The core group has no name. */
    readonly metadata?: { readonly name?: string } | null;
    readonly versions?: readonly {
      readonly version: string;
      /** `Stale`: the server behind this version does not respond; `resources` is its last known state, if any. */
      readonly freshness?: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind: string } | null;
        readonly scope: string;
        readonly verbs?: readonly string[] | null;
        readonly shortNames?: readonly string[] | null;
      }[];
    }[];
  }[];
}

/** `APIResourceList`: one version of a group. */
export interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs?: readonly string[] | null;
    readonly shortNames?: readonly string[] | null;
  }[];
}

/** `APIGroupList`: the versions of all named groups. */
export interface GroupList {
  readonly groups?: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[] | null;
}

/** `APIVersions`: the versions of the core group. */
export interface VersionList {
  readonly versions: readonly string[];
}

export function isAggregated(value: unknown): value is AggregatedDiscovery {
  return (
    isRecord(value) &&
    value['kind'] === 'APIGroupDiscoveryList' &&
    isListOf(
      value['items'],
      (group) =>
        isOptionalText(fieldsOf(group['metadata'])['name']) &&
        isOptionalListOf(
          group['versions'],
          (version) =>
            typeof version['version'] === 'string' &&
            isOptionalText(version['freshness']) &&
            isOptionalListOf(
              version['resources'],
              ({ resource, scope, responseKind, verbs, shortNames }) =>
                typeof resource === 'string' &&
                typeof scope === 'string' &&
                isOptionalText(fieldsOf(responseKind)['kind']) &&
                isOptionalTexts(verbs) &&
                isOptionalTexts(shortNames),
            ),
        ),
    )
  );
}

export function isResourceList(value: unknown): value is ResourceList {
  return (
    isRecord(value) &&
    isListOf(
      value['resources'],
      ({ name, kind, namespaced, verbs, shortNames }) =>
        typeof name === 'string' &&
        typeof kind === 'string' &&
        typeof namespaced === 'boolean' &&
        isOptionalTexts(verbs) &&
        isOptionalTexts(shortNames),
    )
  );
}

export function isGroupList(value: unknown): value is GroupList {
  return (
    isRecord(value) &&
    value['kind'] === 'APIGroupList' &&
    isOptionalListOf(value['groups'], ({ versions }) =>
      isListOf(versions, ({ groupVersion }) => typeof groupVersion === 'string'),
    )
  );
}

export function isVersionList(value: unknown): value is VersionList {
  if (!isRecord(value) || value['kind'] !== 'APIVersions' || !Array.isArray(value['versions'])) return false;
  return value['versions'].every((version) => typeof version === 'string');
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isOptionalTexts(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isListOf(value: unknown, isItem: (item: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isRecord(item) && isItem(item));
}

/** Go omits an empty list or writes it as `null`. */
function isOptionalListOf(value: unknown, isItem: (item: Fields) => boolean): boolean {
  return value === undefined || value === null || isListOf(value, isItem);
}
