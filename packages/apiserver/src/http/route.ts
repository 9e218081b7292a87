import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { badRequest } from '../status.ts';
import type { Target } from '../verbs/target.ts';
import type { Part } from '../verbs/written-part.ts';

/** Target of a path below `/api` or `/apis`. */
export type Route = CollectionRoute | ObjectRoute;

/** Subresources of an object that are actions. */
export type Action = 'binding' | 'connect' | 'eviction' | 'log' | 'token';

export interface CollectionRoute {
  readonly at: 'collection';
  readonly type: ResourceType;
  /** `''` for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  /** Whether the path has an empty namespace. Only a list accepts it. */
  readonly lacksNamespace?: boolean;
}

export interface ObjectRoute extends Target {
  readonly at: 'object';
  readonly part: Part | Action;
  /** Whether the path has an empty namespace. No request accepts it. */
  readonly lacksNamespace?: boolean;
  /** Present for the part `connect`. */
  readonly connection?: Connection;
}

/** A request for a connection to what an object runs. */
export interface Connection {
  readonly subresource: 'attach' | 'exec' | 'portforward' | 'proxy';
  /** Path behind `proxy`, with its slash; `''` for none. */
  readonly path: string;
}

/**
 * Returns the resource that a path names, or `undefined` if there is none. Ignores slashes at its end. A namespace may be
 * empty.
 */
export function findRoute(registry: ResourceRegistry, path: string): Route | undefined {
  const [root, ...rest] = path.replace(/\/+$/u, '').split('/').slice(1);
  const isEmpty = (segment: string, index: number): boolean => segment === '' && rest[index - 1] !== 'namespaces';
  if (rest.some(isEmpty)) return undefined;
  if (root === 'api') return resourceRoute(registry, '', rest);
  if (root === 'apis') return resourceRoute(registry, rest[0] ?? '', rest.slice(1));
  return undefined;
}

/** Methods that need the namespace of a path. */
const NAMESPACED = { collection: ['DELETE', 'POST'], object: ['DELETE', 'GET', 'PATCH', 'PUT'] };

/** @throws {StatusError} 400 if the path has an empty namespace that the method needs. */
export function requireNamespace({ at, lacksNamespace }: Route, method: string): void {
  if (lacksNamespace && NAMESPACED[at].includes(method)) throw badRequest('Namespace parameter required.');
}

/** Returns the custom resource whose subresource a path names. A real server does not find the object then. */
export function customObjectOf(registry: ResourceRegistry, path: string): ObjectRoute | undefined {
  const segments = path.split('/');
  if (segments[1] !== 'apis' || segments.length < 7) return undefined;
  const route = findRoute(registry, segments.slice(0, -1).join('/'));
  return route?.at === 'object' && !route.type.builtIn ? route : undefined;
}

function resourceRoute(registry: ResourceRegistry, group: string, segments: readonly string[]): Route | undefined {
  const [version = '', first = '', ...rest] = segments;
  // `/namespaces/<ns>/<plural>` is in a namespace; `/namespaces/<ns>` and its subresources are the namespace itself.
  const [namespace = '', plural = '', ...within] = rest;
  const type = first === 'namespaces' && plural !== '' ? registry.find(group, version, plural) : undefined;
  if (type) {
    const route = type.scope === 'Namespaced' ? target(type, namespace, within) : undefined;
    return route && (namespace === '' ? { ...route, lacksNamespace: true } : route);
  }

  const direct = registry.find(group, version, first);
  if (!direct || (direct.scope === 'Namespaced' && rest.length > 0)) return undefined;
  return target(direct, '', rest);
}

function target(type: ResourceType, namespace: string, rest: readonly string[]): Route | undefined {
  const [name, subresource, ...more] = rest;
  if (name === undefined) return { at: 'collection', type, namespace };
  const part = partOf(type, subresource);
  // A proxy path goes on behind the object.
  if ((more.length > 0 && subresource !== 'proxy') || part === undefined) return undefined;
  const route = { at: 'object', type, namespace, name, part } as const;
  if (part !== 'connect') return route;
  const path = more.map((segment) => `/${segment}`).join('');
  return { ...route, connection: { subresource: subresource as Connection['subresource'], path } };
}

function partOf(type: ResourceType, subresource: string | undefined): ObjectRoute['part'] | undefined {
  if (subresource === undefined) return 'object';
  if (subresource === 'status' && type.statusSubresource) return 'status';
  if (subresource === 'finalize' && type.storage === 'namespaces') return 'finalize';
  if (subresource === 'scale' && type.scale) return 'scale';
  if (subresource === 'approval' && type.storage === 'certificatesigningrequests.certificates.k8s.io')
    return 'approval';
  if (type.storage === 'pods') return partOfPod(subresource);
  if (subresource === 'proxy' && (type.storage === 'nodes' || type.storage === 'services')) return 'connect';
  if (subresource === 'token' && type.storage === 'serviceaccounts') return 'token';
  return undefined;
}

function partOfPod(subresource: string): ObjectRoute['part'] | undefined {
  switch (subresource) {
    case 'attach':
    case 'exec':
    case 'portforward':
    case 'proxy':
      return 'connect';
    case 'binding':
    case 'ephemeralcontainers':
    case 'eviction':
    case 'log':
    case 'resize':
      return subresource;
    default:
      return undefined;
  }
}
