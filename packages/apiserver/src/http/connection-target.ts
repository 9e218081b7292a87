import { isIP } from 'node:net';
import { listAt } from '../resources/cells.ts';
import { present, scalarText, valueAt } from '../resources/resource-type.ts';
import { badRequest, notFound, StatusError } from '../status.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import { objectKey, parseStored } from '../storage/stored-object.ts';
import type { Backend, Target } from '../verbs/target.ts';
import { get } from '../verbs/target.ts';
import { containerOf } from './container.ts';
import type { Connection } from './route.ts';

/**
 * Looks for what a request wants to connect to: a container and its kubelet, or an address.
 *
 * @throws {StatusError} 400, 404, 500 or 503 if there is none, as a real server before it dials.
 */
export function requireDestination(
  backend: Backend,
  target: Target,
  subresource: Connection['subresource'],
  options: JsonObject,
): void {
  if (subresource !== 'proxy') {
    const pod = present(target.type, get(backend, target));
    if (subresource !== 'portforward') containerOf(pod, scalarText(options['container']));
    const node = scalarText(valueAt(pod, 'spec.nodeName'));
    if (node === '') throw badRequest(`pod ${target.name} does not have a host assigned`);
    addressOfNode(backend, target, node);
    return;
  }
  const { name, port } = partsOf(target);
  const named = { ...target, name };
  switch (target.type.plural) {
    case 'pods':
      requireRoutable(scalarText(valueAt(present(target.type, get(backend, named)), 'status.podIP')));
      return;
    case 'nodes': {
      const address = addressOfNode(backend, named, name);
      if (isIP(address) > 0) requireRoutable(address);
      return;
    }
    default:
      requireEndpoints(backend, named, { id: target.name, port });
  }
}

/** Splits a name such as `https:web:8443`. @throws {StatusError} 400 */
function partsOf({ type, name: id }: Target): { readonly name: string; readonly port: string } {
  const parts = id.split(':');
  const [first = '', second = '', third = ''] = parts;
  const [scheme, name, port] = parts.length === 3 ? [first, second, third] : ['', first, second];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme)) {
    throw badRequest(`invalid ${type.singular} request ${JSON.stringify(id)}`);
  }
  return { name, port };
}

/** Returns the address of a kubelet. @throws {StatusError} 404, 500 if the node has no address. */
function addressOfNode(backend: Backend, { type }: Target, node: string): string {
  const stored = backend.store.resource('nodes').get(node);
  // Upstream names the resource of the request.
  if (!stored) throw notFound(type, node);
  const [first] = listAt(parseStored(stored), 'status.addresses');
  const address = scalarText(valueAt(first, 'address'));
  if (first !== undefined) return address;
  throw new StatusError(500, '', 'no preferred addresses found; known addresses: []');
}

/** Loopback, link-local, multicast and unspecified addresses. */
const NOT_ROUTABLE = /^(?:127\.|169\.254\.|22[4-9]\.|23\d\.|0\.0\.0\.0$|255\.255\.255\.255$|::1?$|fe[89ab]|ff)/iu;

/** @throws {StatusError} 400 */
function requireRoutable(address: string): void {
  if (isIP(address) === 0 || NOT_ROUTABLE.test(address)) throw badRequest('address not allowed');
}

/** @throws {StatusError} 404 without Endpoints, 503 without addresses of Pods for the port. */
function requireEndpoints(
  backend: Backend,
  service: Target,
  { id, port }: { readonly id: string; readonly port: string },
): void {
  const { name, namespace } = service;
  const none = (wanted: string): StatusError => unavailable(`no endpoints available for service "${wanted}"`);
  const wanted = /^\d+$/u.test(port) ? portName(present(service.type, get(backend, service)), name, port) : port;
  const stored = backend.store.resource('endpoints').get(objectKey(namespace, name));
  if (!stored) throw notFound(service.type, name);
  const subsets = listAt(parseStored(stored), 'subsets');
  if (subsets.length === 0) throw none(name);
  const isServed = subsets.some(
    (subset) =>
      listAt(subset, 'ports').some((each) => scalarText(valueAt(each, 'name')) === wanted) &&
      listAt(subset, 'addresses').some((address) => isPod(backend, namespace, address)),
  );
  if (!isServed) throw none(id);
}

function portName(service: ApiObject, name: string, number: string): string {
  const port = listAt(service, 'spec.ports').find((each) => scalarText(valueAt(each, 'port')) === number);
  if (port === undefined) throw unavailable(`no service port ${number} found for service "${name}"`);
  return scalarText(valueAt(port, 'name'));
}

/** Only addresses of Pods are connected to. */
function isPod(backend: Backend, namespace: string, address: unknown): boolean {
  const key = objectKey(namespace, scalarText(valueAt(address, 'targetRef.name')));
  const stored = backend.store.resource('pods').get(key);
  return stored !== undefined && valueAt(parseStored(stored), 'status.podIP') === valueAt(address, 'ip');
}

function unavailable(message: string): StatusError {
  return new StatusError(503, 'ServiceUnavailable', message);
}
