import { isApiError } from '../response/api-error.ts';
import { readSliced, invalidResponse } from '../response/response-body.ts';
import type { Transport, TransportResponse } from '../transport/transport.ts';
import {
  isAggregated,
  isGroupList,
  isResourceList,
  isVersionList,
  type AggregatedDiscovery,
  type ResourceList,
} from './discovery-documents.ts';
import { parseApiVersion, type Scope } from '../kinds/kind.ts';
import { isGroupVersion, isResourceName } from './resource-path.ts';

/** A resource that a cluster serves, as `kubectl api-resources` lists it. */
export interface ServerResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
}

/** Path at which discovery begins. The core group has its own document. */
export type DiscoveryRoot = '/api' | '/apis';

export type Discovery =
  | {
      readonly type: 'whole';
      readonly resources: readonly ServerResource[];
      /** The group versions (for example `apps/v1`) whose resources may be incomplete. */
      readonly stale: readonly string[];
      readonly etag: string | undefined;
    }
  /** The document has not changed since the given `etag`. */
  | { readonly type: 'unchanged' }
  /**
   * The server has one document for each of these versions (for example `v1`, `apps/v1`). Empty if it does not list
   * them.
   */
  | { readonly type: 'split'; readonly apiVersions: readonly string[] };

const AGGREGATED = ['v2', 'v2beta1'].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);
const ACCEPT = [...AGGREGATED, 'application/json'].join(',');

/**
 * Discovers everything that is served below a root, in one document (KEP-3352) if the server supports it.
 *
 * @param etag the `etag` of the previous response.
 * @throws {ApiError} if the server refuses the request or its response is invalid.
 */
export async function discover(transport: Transport, root: DiscoveryRoot, etag?: string): Promise<Discovery> {
  const headers = { accept: ACCEPT, ...(etag !== undefined && { 'if-none-match': etag }) };
  const response = await transport.send({ method: 'GET', path: root, headers, purpose: 'discovery' });
  if (response.status === 304 && etag !== undefined) {
    await response.bytes();
    return { type: 'unchanged' };
  }
  try {
    const answer = await readDocument(response, root);
    if (isAggregated(answer)) {
      const { etag } = response.headers;
      return { type: 'whole', resources: resourcesOfAll(answer), stale: bounded(staleOf(answer), root), etag };
    }
    if (isGroupList(answer)) {
      const versions = (answer.groups ?? []).flatMap((group) => group.versions);
      const apiVersions = bounded(versions, root).map(({ groupVersion }) => groupVersion);
      return { type: 'split', apiVersions: apiVersions.filter(isGroupVersion) };
    }
    if (isVersionList(answer)) {
      return { type: 'split', apiVersions: bounded(answer.versions, root).filter(isGroupVersion) };
    }
    throw invalidResponse(`GET ${root}`, 'the document is not a discovery document');
  } catch (error) {
    // Some servers and roles offer only the documents of single versions.
    if (isApiError(error) && [403, 404, 406].includes(error.status)) return { type: 'split', apiVersions: [] };
    throw error;
  }
}

/**
 * Discovers the resources of one group version. Returns an empty array if the server does not serve the version.
 *
 * @throws {ApiError} if the server refuses the request or its response is invalid.
 */
export async function discoverVersion(transport: Transport, apiVersion: string): Promise<readonly ServerResource[]> {
  const path = versionPath(apiVersion);
  try {
    const headers = { accept: 'application/json' };
    const response = await transport.send({ method: 'GET', path, headers, purpose: 'discovery' });
    const answer = await readDocument(response, path);
    if (isResourceList(answer)) return resourcesOfVersion(answer, apiVersion);
    throw invalidResponse(`GET ${path}`, 'the document is not a list of resources');
  } catch (error) {
    if (isApiError(error) && error.status === 404) return [];
    throw error;
  }
}

/** Fields with long arrays: groups of the aggregated document, groups of `/apis`, resources of one version. */
const ARRAYS = ['items', 'groups', 'resources'];
/** Maximum number of groups or resources in one document. Clusters have a few thousand at most. */
const MAX_ELEMENTS = 100_000;
/** Maximum size of one group or resource. */
const MAX_ELEMENT = { bytes: 8 * 1024 * 1024 };
/** Maximum number of group versions that are requested one by one. */
const MAX_VERSIONS = 2_000;

function readDocument(response: TransportResponse, path: string): Promise<unknown> {
  const subject = `GET ${path}`;
  let count = 0;
  const onElements = (elements: readonly unknown[]) => {
    count += elements.length;
    if (count > MAX_ELEMENTS)
      throw invalidResponse(subject, `the document has more than ${MAX_ELEMENTS} groups or resources`);
  };
  return readSliced(response, subject, { array: ARRAYS, maxElement: MAX_ELEMENT, onElements });
}

function bounded<T>(versions: readonly T[], root: DiscoveryRoot): readonly T[] {
  if (versions.length <= MAX_VERSIONS) return versions;
  throw invalidResponse(`GET ${root}`, `the document has more than ${MAX_VERSIONS} group versions`);
}

/** Returns the path of a group version, for example `/api/v1` or `/apis/apps/v1`. */
export function versionPath(apiVersion: string): string {
  return `${rootOf(apiVersion)}/${apiVersion}`;
}

export function rootOf(apiVersion: string): DiscoveryRoot {
  return parseApiVersion(apiVersion).group === '' ? '/api' : '/apis';
}

function resourcesOfAll({ items }: AggregatedDiscovery): ServerResource[] {
  return items.flatMap(({ metadata, versions }) =>
    servedVersions(metadata, versions).flatMap(({ version, resources }) =>
      (resources ?? [])
        // A resource that exists only for its subresources has no kind.
        .filter(({ resource, responseKind }) => responseKind?.kind && isResourceName(resource))
        .map(({ resource, responseKind, scope, verbs, shortNames }) => ({
          apiVersion: apiVersionOf(metadata, version),
          kind: responseKind?.kind ?? '',
          plural: resource,
          scope: scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
          verbs: verbs ?? [],
          shortNames: shortNames ?? [],
        })),
    ),
  );
}

function staleOf({ items }: AggregatedDiscovery): string[] {
  return items.flatMap(({ metadata, versions }) =>
    servedVersions(metadata, versions)
      .filter(({ freshness }) => freshness === 'Stale')
      .map(({ version }) => apiVersionOf(metadata, version)),
  );
}

/** Returns the versions of a group, without those that would lead to another path. */
function servedVersions(
  group: AggregatedDiscovery['items'][number]['metadata'],
  versions: AggregatedDiscovery['items'][number]['versions'],
): NonNullable<AggregatedDiscovery['items'][number]['versions']> {
  return (versions ?? []).filter(({ version }) => isGroupVersion(apiVersionOf(group, version)));
}

function apiVersionOf(group: AggregatedDiscovery['items'][number]['metadata'], version: string): string {
  return group?.name ? `${group.name}/${version}` : version;
}

function resourcesOfVersion({ resources }: ResourceList, apiVersion: string): ServerResource[] {
  return (
    resources
      // Subresources (`pods/status`) are in the same list as their resources.
      .filter(({ name }) => isResourceName(name))
      .map(({ name, kind, namespaced, verbs, shortNames }) => ({
        apiVersion,
        kind,
        plural: name,
        scope: namespaced ? 'Namespaced' : 'Cluster',
        verbs: verbs ?? [],
        shortNames: shortNames ?? [],
      }))
  );
}
