import * as client from '@mcr/client';
import type { Kind, KubernetesObject } from '@mcr/client';
import { parseApiVersion } from '@mcr/client';
import type { DeclaredPermission, Permission } from '../permissions/permission.ts';
import { pluralOf } from '../permissions/permission.ts';

/** The access that a request needs, in the words of RBAC. */
export interface RequiredAccess {
  /** Whether it was sent to the local cluster, or to a cluster of the provider. */
  readonly in: Permission['in'];
  readonly verb: string;
  /** For example `configmaps`, `deployments.apps/status`, or a path without a resource, such as `/metrics`. */
  readonly resource: string;
  /** Default: the request is not limited to a namespace. */
  readonly namespace?: string;
  /** Default: the request is not limited to an object. */
  readonly name?: string;
}

/** Verbs on a resource that a program uses, and that no part of it declares. */
export interface MissingPermission extends Pick<RequiredAccess, 'in' | 'resource'> {
  readonly verbs: readonly string[];
  /** Up to 10 of the objects, for example `default/cart`. Lists and creations are `default/*`, or `*` for all namespaces. */
  readonly objects: readonly string[];
  /** The line that declares it, for example `.requires({ kind: ConfigMap, verbs: ['create'] })`. */
  readonly add: string;
}

/** Verbs that a part of a program declares, and that no request has needed. */
export interface UnusedPermission
  extends Pick<RequiredAccess, 'in' | 'resource'>, Pick<DeclaredPermission, 'names' | 'namespaces' | 'neededBy'> {
  readonly verbs: readonly string[];
}

/** Differences between the permissions that a program declares and those that it has used. */
export interface PermissionReport {
  readonly missing: readonly MissingPermission[];
  /** Includes what the test did not reach. */
  readonly unused: readonly UnusedPermission[];
}

/** Options of a {@link PermissionReport}. */
export interface PermissionReportOptions {
  /**
   * Whether members are clusters, or namespaces of the local cluster, as those of `createNamespaceProvider`. Permissions in
   * such members are needed in the local cluster. Default: `clusters`.
   */
  readonly members?: 'clusters' | 'namespaces';
}

/** The verbs of requests. RBAC has further ones, such as `bind`, which API servers check for the fields of objects. */
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const MAX_OBJECTS = 10;

/** Paths that the roles `system:discovery` and `system:public-info-viewer` grant to every account. */
const GRANTED_PATHS = /^\/(?:(?:api|apis|openapi)(?:\/.*)?|healthz|livez|readyz|version\/?)$/u;
/** Kinds that the role `system:basic-user` lets every account create. */
const GRANTED_REVIEWS = new Set([
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
]);

/** Returns whether every authenticated account has the access by default. */
export function isGrantedToAll({ verb, resource }: RequiredAccess): boolean {
  return resource.startsWith('/')
    ? verb === 'get' && GRANTED_PATHS.test(resource)
    : verb === 'create' && GRANTED_REVIEWS.has(resource);
}

/** @throws {TypeError} if a declared kind has no `plural`. */
export function comparePermissions(
  permissions: readonly DeclaredPermission[],
  accesses: readonly RequiredAccess[],
  { members = 'clusters' }: PermissionReportOptions,
): PermissionReport {
  const declared = permissions.map((permission) => ({
    ...permission,
    in: members === 'namespaces' ? 'local' : permission.in,
    resource: resourceOf(permission),
  }));
  const missing = accesses.filter((access) => !declared.some((permission) => grants(permission, access)));
  const unused = declared.flatMap((permission) => {
    // A watch can stream what an informer lists otherwise, if the API server supports WatchList.
    const isUsed = (verb: string): boolean =>
      accesses.some((access) => grants({ ...permission, verbs: verb === 'list' ? ['list', 'watch'] : [verb] }, access));
    const verbs = permission.verbs.filter((verb) => (verb === '*' || VERBS.includes(verb)) && !isUsed(verb));
    return verbs.length === 0 ? [] : [unusedOf(permission, verbs)];
  });
  const kinds = permissions.map(({ kind }) => kind);
  const hasMembers = [...declared, ...accesses].some((part) => part.in === 'members');
  return { missing: missingOf(missing, { kinds, hasMembers }), unused };
}

interface NamedPermission extends DeclaredPermission {
  /** In the format of {@link RequiredAccess.resource}. */
  readonly resource: string;
}

function resourceOf(permission: DeclaredPermission): string {
  const { group } = parseApiVersion(permission.kind.apiVersion);
  const { subresource } = permission;
  return [pluralOf(permission), group && `.${group}`, subresource && `/${subresource}`].join('');
}

/** Applies the rules of RBAC. (Upstream: `RuleAllows` of `plugin/pkg/auth/authorizer/rbac`.) */
function grants(permission: NamedPermission, { in: origin, verb, resource, namespace, name }: RequiredAccess): boolean {
  const { kind, verbs, names, namespaces } = permission;
  return (
    permission.in === origin &&
    (verbs.includes(verb) || verbs.includes('*')) &&
    coversResource(partsOf(permission.resource), partsOf(resource)) &&
    (names === undefined || (name !== undefined && names.includes(name))) &&
    // A cluster-scoped object has no namespace.
    (namespaces === undefined ||
      kind.scope === 'Cluster' ||
      (namespace !== undefined && namespaces.includes(namespace)))
  );
}

interface ResourceParts {
  readonly plural: string;
  readonly group: string;
  readonly subresource: string;
}

/** Splits for example `deployments.apps/status`. */
function partsOf(resource: string): ResourceParts {
  const [whole = '', ...subresource] = resource.split('/');
  const [plural = '', ...group] = whole.split('.');
  return { plural, group: group.join('.'), subresource: subresource.join('/') };
}

/** `*` is every resource and subresource, and `* /status` is the status of every resource. */
function coversResource(declared: ResourceParts, used: ResourceParts): boolean {
  if (declared.group !== '*' && declared.group !== used.group) return false;
  if (declared.plural === '*' && declared.subresource === '') return true;
  const isPlural = declared.plural === used.plural || (declared.plural === '*' && used.subresource !== '');
  return isPlural && declared.subresource === used.subresource;
}

function unusedOf(permission: NamedPermission, verbs: readonly string[]): UnusedPermission {
  const { in: origin, resource, names, namespaces, neededBy } = permission;
  return { in: origin, resource, verbs, ...(names && { names }), ...(namespaces && { namespaces }), neededBy };
}

interface ProgramParts {
  readonly kinds: readonly Kind<KubernetesObject>[];
  /** Whether there are other clusters than the local one, so that a declaration must say where it is needed. */
  readonly hasMembers: boolean;
}

/** Merges the accesses of each resource. */
function missingOf(accesses: readonly RequiredAccess[], program: ProgramParts): MissingPermission[] {
  const groups = Map.groupBy(accesses, ({ in: origin, resource }) => `${origin} ${resource}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { in: origin, resource } = first;
    const used = new Set(group.map(({ verb }) => verb));
    // A path without a resource may have other verbs.
    const verbs = [...new Set([...VERBS, ...used])].filter((verb) => used.has(verb));
    const objects = [...new Set(group.map(objectText))].slice(0, MAX_OBJECTS);
    return [{ in: origin, resource, verbs, objects, add: declarationOf({ in: origin, resource, verbs }, program) }];
  });
}

function objectText({ resource, namespace, name = '*' }: RequiredAccess): string {
  if (resource.startsWith('/')) return resource;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function declarationOf(
  { in: origin, resource, verbs }: Omit<MissingPermission, 'objects' | 'add'>,
  { kinds, hasMembers }: ProgramParts,
): string {
  const list = `[${verbs.map((verb) => `'${verb}'`).join(', ')}]`;
  if (resource.startsWith('/')) {
    return `to a ClusterRole of your own: { nonResourceURLs: ['${resource}'], verbs: ${list} }`;
  }
  const parts = partsOf(resource);
  const fields = [
    `kind: ${kindName(parts, kinds)}`,
    ...(parts.subresource ? [`subresource: '${parts.subresource}'`] : []),
    `verbs: ${list}`,
    ...(hasMembers ? [`in: '${origin}'`] : []),
  ];
  return `.requires({ ${fields.join(', ')} })`;
}

/** Returns the name of a kind in TypeScript: that of its export, if it is built in. */
function kindName({ plural, group }: ResourceParts, declared: readonly Kind<KubernetesObject>[]): string {
  const isIt = (kind: Partial<Kind<KubernetesObject>> | undefined): boolean =>
    kind?.plural === plural && kind.apiVersion !== undefined && parseApiVersion(kind.apiVersion).group === group;
  const [builtIn] = Object.entries(client).find(([, value]) => isIt(value as Partial<Kind<KubernetesObject>>)) ?? [];
  return builtIn ?? declared.find(isIt)?.kind ?? `/* the kind of ${[plural, group].filter(Boolean).join('.')} */`;
}
