import type { EncodedResponse } from '../representation/encoded-response.ts';
import { acceptedResponse, responseIn, responseOf } from '../representation/encoded-response.ts';
import { JSON_TYPE, selectFormat } from '../representation/media-type.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import { GROUP_PRIORITIES } from '../bootstrap/api-services.ts';
import type { AggregatedApi } from './aggregated-apis.ts';
import { aggregatedGroup, mergeGroups, staleGroup } from './aggregated-apis.ts';
import type { Subresource } from './subresources.ts';
import { subresourcesOf } from './subresources.ts';
import { storageVersionHash } from './storage-version-hash.ts';
import { openApiProtobuf } from './open-api-protobuf.ts';
import { openApiV2, openApiV3, openApiV3Index } from './open-api.ts';
import { VERSION } from './version.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Discovery lists the verbs of custom kinds in another order. */
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

function verbsOf({ review, builtIn, storage }: ResourceType): readonly string[] {
  if (review) return ['create'];
  // A collection of namespaces cannot be deleted.
  if (storage === 'namespaces') return VERBS.filter((verb) => verb !== 'deletecollection');
  return builtIn ? VERBS : CUSTOM_VERBS;
}

/** The server that the documents describe. */
export interface Described {
  readonly registry: ResourceRegistry;
  readonly port: number;
}

/**
 * Returns the document at a path that describes the server, or `undefined` for other paths.
 *
 * @param apis returns the versions that other servers serve.
 */
export function discover(
  { registry, port }: Described,
  path: string,
  accept: string | undefined,
  apis: () => readonly AggregatedApi[] = () => [],
): object | undefined {
  const aggregated = isAggregated(path, accept);
  switch (withoutSlash(path)) {
    case '/version':
      return VERSION;
    case '/api':
      return aggregated
        ? aggregatedList(registry.all().filter(({ group }) => group === ''))
        : {
            kind: 'APIVersions',
            versions: ['v1'],
            serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: `127.0.0.1:${port}` }],
          };
    case '/apis':
      return aggregated
        ? aggregatedList(
            registry.all().filter(({ group }) => group !== ''),
            apis(),
          )
        : {
            kind: 'APIGroupList',
            apiVersion: 'v1',
            groups: allGroups(registry, apis()),
          };
    case '/openapi/v2':
      return openApiV2(registry);
    case '/openapi/v3':
      return openApiV3Index(registry);
    default:
      return discoverBelow(registry, withoutSlash(path).split('/').slice(1), apis);
  }
}

/** Discovery ignores one slash at the end of a path. */
export function withoutSlash(path: string): string {
  return /^\/(?:version|api|apis(?:\/[^/]+){0,2}|api\/[^/]+)\/$/.test(path) ? path.slice(0, -1) : path;
}

function allGroups(registry: ResourceRegistry, apis: readonly AggregatedApi[]): object[] {
  const own = groupsOf(registry).map((group) => [group, groupDocument(registry, group)] as const);
  return mergeGroups(own, apis, (group) => aggregatedGroup(apis, group));
}

function discoverBelow(
  registry: ResourceRegistry,
  segments: readonly string[],
  apis: () => readonly AggregatedApi[],
): object | undefined {
  const [root, first = '', second, ...more] = segments;
  if (root === 'openapi' && first === 'v3') return openApiV3(registry, segments.slice(2).join('/'));
  if (more.length > 0) return undefined;
  if (root === 'api' && second === undefined) return resourceList(registry, '', first);
  if (root !== 'apis') return undefined;
  if (second !== undefined) return resourceList(registry, first, second);
  const group = groupsOf(registry).includes(first) ? groupDocument(registry, first) : aggregatedGroup(apis(), first);
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...group };
}

/** Returns the groups of types, the most important first. Custom groups are the least important. */
function sortedGroups(types: readonly ResourceType[]): string[] {
  const groups = [...new Set(types.map(({ group }) => group))];
  const priority = (group: string): number => GROUP_PRIORITIES[group] ?? 0;
  return groups.sort((a, b) => priority(b) - priority(a) || (a < b ? -1 : 1));
}

function groupsOf(registry: ResourceRegistry): string[] {
  return sortedGroups(registry.all()).filter((group) => group !== '');
}

function groupDocument(registry: ResourceRegistry, name: string): object {
  const versions = versionsOf(registry.all().filter(({ group }) => group === name)).map((version) => ({
    groupVersion: apiVersionOf({ group: name, version }),
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
}

/**
 * Returns versions, most preferred first: stable before beta before alpha, and higher numbers first. (Upstream:
 * `version.CompareKubeAwareVersionStrings`.)
 */
function versionsOf(types: readonly ResourceType[]): string[] {
  const versions = [...new Set(types.map(({ version }) => version))];
  return versions.sort((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    const index = left.findIndex((value, position) => value !== right[position]);
    return index < 0 ? (a < b ? -1 : 1) : (right[index] ?? 0) - (left[index] ?? 0);
  });
}

const STABILITY: Readonly<Record<string, number>> = { alpha: 1, beta: 2 };

function rank(version: string): number[] {
  const [, major, stability, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return [0, 0, 0];
  return [stability === undefined ? 3 : (STABILITY[stability] ?? 0), Number(major), Number(minor ?? 0)];
}

function resourceList(registry: ResourceRegistry, group: string, version: string): object | undefined {
  const types = registry.all().filter((type) => type.group === group && type.version === version);
  if (types.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    // The list of the core group has no version.
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: [
      ...(group === '' ? CORE_ONLY : []),
      ...sortedByName(types).flatMap((type) => resourceEntries(registry, type)),
    ],
  };
}

/** Core resources without stored objects. Their names come before all others. */
const CORE_ONLY = [
  { name: 'bindings', singularName: 'binding', namespaced: true, kind: 'Binding', verbs: ['create'] },
  {
    name: 'componentstatuses',
    singularName: 'componentstatus',
    namespaced: false,
    kind: 'ComponentStatus',
    verbs: ['get', 'list'],
    shortNames: ['cs'],
  },
];

/** {@link CORE_ONLY} in aggregated discovery. */
const CORE_ONLY_AGGREGATED = CORE_ONLY.map(({ name, singularName, namespaced, kind, verbs, shortNames }) => ({
  resource: name,
  responseKind: { group: '', version: '', kind },
  scope: namespaced ? 'Namespaced' : 'Cluster',
  singularResource: singularName,
  verbs,
  ...(shortNames && { shortNames }),
}));

function sortedByName(types: readonly ResourceType[]): ResourceType[] {
  return types.toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
}

function resourceEntries(registry: ResourceRegistry, type: ResourceType): object[] {
  const { plural, singular, kind, shortNames, categories } = type;
  const namespaced = type.scope === 'Namespaced';
  const entry = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(type),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(!type.review && { storageVersionHash: storageVersionHash(registry.storedType(type.storage) ?? type) }),
  };
  const parts = subresourcesOf(type).map(({ name, responseKind, verbs }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    // Group and version default to those of the resource.
    ...(responseKind.group === type.group && responseKind.version === type.version
      ? { kind: responseKind.kind }
      : responseKind),
    verbs,
  }));
  return [entry, ...parts];
}

/** Reports whether a document is aggregated. The path of all groups with a slash at its end has no aggregated document. */
function isAggregated(path: string, accept: string | undefined): boolean {
  return ['/api', '/api/', '/apis'].includes(path) && aggregatedFormat(accept) !== undefined;
}

/** Returns the format of aggregated discovery, or `undefined` if the client prefers the other documents. */
function aggregatedFormat(accept: string | undefined): string | undefined {
  const wanted: (string | undefined)[] = [];
  const format = selectFormat(accept, (_, { as, v }) => {
    wanted.push(as);
    return as === undefined || v === 'v2';
  });
  return wanted.at(-1) === 'APIGroupDiscoveryList' ? format : undefined;
}

/** Returns the aggregated discovery document (KEP-3352). */
function aggregatedList(types: readonly ResourceType[], apis: readonly AggregatedApi[] = []): object {
  const groups = sortedGroups(types).map((name) => [name, currentGroup(types, name)] as const);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: mergeGroups(groups, apis, (group) => staleGroup(apis, group)),
  };
}

function currentGroup(types: readonly ResourceType[], name: string): object {
  const ofGroup = types.filter(({ group }) => group === name);
  return {
    metadata: name === '' ? {} : { name },
    versions: versionsOf(ofGroup).map((version) => ({
      version,
      resources: [
        ...(name === '' ? CORE_ONLY_AGGREGATED : []),
        ...sortedByName(ofGroup.filter((type) => type.version === version)).map(aggregatedResource),
      ],
      freshness: 'Current',
    })),
  };
}

function aggregatedResource(type: ResourceType): object {
  const { group, version, kind, plural, singular, builtIn } = type;
  const shown = (kind: Subresource['responseKind']): object =>
    // Group and version default to those of the resource. Those of custom kinds are always written.
    builtIn && kind.group === group && kind.version === version ? { group: '', version: '', kind: kind.kind } : kind;
  const parts = subresourcesOf(type);
  return {
    resource: plural,
    responseKind: shown({ group, version, kind }),
    scope: type.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(type),
    ...(type.shortNames.length > 0 && { shortNames: type.shortNames }),
    ...(type.categories.length > 0 && { categories: type.categories }),
    ...(parts.length > 0 && {
      subresources: parts.map(({ name, verbs, responseKind }) => ({
        subresource: name,
        responseKind: shown(responseKind),
        verbs,
      })),
    }),
  };
}

/**
 * Returns the response for a document. The media type of aggregated discovery has parameters, so that clients can
 * recognize it.
 *
 * @param path path of the request.
 * @throws {StatusError} 406
 */
export function discoveryResponse(path: string, accept: string | undefined, document: object): EncodedResponse {
  const schemas = path === '/openapi/v2' ? openApiProtobuf(accept, document) : undefined;
  if (schemas) return schemas;
  // A real server does not know that the index is JSON.
  if (path === '/openapi/v3') return { ...responseIn(JSON_TYPE, document), contentType: 'text/plain; charset=utf-8' };
  if (path.startsWith('/openapi/')) return responseOf(accept, document);
  const aggregated = isAggregated(path, accept) ? aggregatedFormat(accept) : undefined;
  if (aggregated === undefined) return acceptedResponse(accept, document);
  const { body, contentType } = responseIn(aggregated, document);
  return {
    body,
    contentType: `${contentType};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
    vary: 'Accept',
    cacheControl: 'public',
  };
}
