import { negotiate } from '../representation/negotiate.ts';
import { nameColumn } from '../resources/columns.ts';
import { listAt } from '../resources/cells.ts';
import { builtInTypes } from '../resources/kind-table.ts';
import type { Column, ResourceType } from '../resources/resource-type.ts';
import { scalarText, valueAt } from '../resources/resource-type.ts';
import { methodNotAllowed, notFound, StatusError } from '../status.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { storeObject } from '../storage/stored-object.ts';
import { matches, parseSelection } from '../selectors/selection.ts';
import { requireAcceptable, requireAcceptableList } from './acceptable.ts';
import { isTrue } from '../verbs/watch-options.ts';
import type { Exchange } from './exchange.ts';

const ROOT = '/api/v1/componentstatuses';
const WARNING = 'v1 ComponentStatus is deprecated in v1.19+';

/** Returns a column with a field of the condition. */
function conditionColumn(name: string, cell: (condition: unknown) => string): Column {
  return { name, type: 'string', cell: (status: ApiObject) => cell(listAt(status, 'conditions')[0]) };
}

const textOf = (field: string) => (condition: unknown) => scalarText(valueAt(condition, field));

const namespaces = builtInTypes.find(({ storage }) => storage === 'namespaces') as ResourceType;

/** The kind has no stored objects, so it is not in the kind table. */
const TYPE: ResourceType = {
  ...namespaces,
  kind: 'ComponentStatus',
  plural: 'componentstatuses',
  singular: 'componentstatus',
  shortNames: ['cs'],
  storage: 'componentstatuses',
  statusSubresource: false,
  fields: {},
  columns: [
    nameColumn,
    conditionColumn('Status', (condition) => (valueAt(condition, 'status') === 'True' ? 'Healthy' : 'Unhealthy')),
    conditionColumn('Message', textOf('message')),
    conditionColumn('Error', textOf('error')),
  ],
};

function component(name: string, status: 'True' | 'False', message: string): StoredObject {
  const conditions = [{ type: 'Healthy', status, message }];
  // It is not stored, so it has no uid and no version.
  const object = { kind: TYPE.kind, apiVersion: 'v1', metadata: { name }, conditions } as unknown as ApiObject;
  return storeObject(TYPE.storage, object);
}

function stopped(name: string, port: number): StoredObject {
  const address = `127.0.0.1:${port}`;
  const message = `Get "https://${address}/healthz": dial tcp ${address}: connect: connection refused`;
  return component(name, 'False', message);
}

/** The components of a control plane that envtest starts: no other program than the API server and its storage runs. */
const COMPONENTS = [
  stopped('controller-manager', 10_257),
  stopped('scheduler', 10_259),
  component('etcd-0', 'True', 'ok'),
];

/** Serves the statuses of components. Returns whether the path is theirs. @throws {StatusError} */
export async function serveComponentStatuses(exchange: Exchange): Promise<boolean> {
  const path = exchange.path.replace(/\/$/u, '');
  const name = path === ROOT ? '' : path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : undefined;
  if (name === undefined || name.includes('/')) return false;
  if (exchange.method !== 'GET') throw methodNotAllowed();
  const { query } = exchange;
  const accept = exchange.header('accept');
  if (name === '') requireAcceptableList(accept);
  else requireAcceptable(accept);
  exchange.warn(WARNING);
  if (name === '' && isTrue(query.get('watch'))) throw unwatchable();
  const representation = negotiate(accept, TYPE, query);
  if (name !== '') {
    const found = COMPONENTS.find((each) => each.name === name);
    if (!found) throw notFound({ group: '', plural: TYPE.singular }, name);
    exchange.sendBytes(200, representation.object(found), representation.contentType);
    return true;
  }
  const selection = parseSelection(TYPE, '', query);
  const items = COMPONENTS.filter((each) => matches(selection, each));
  const page = {
    version: undefined,
    items,
    continue: undefined,
    remainingItemCount: undefined,
    shardSelector: undefined,
  };
  await exchange.sendParts(200, await representation.list(page), representation.contentType);
  return true;
}

function unwatchable(): StatusError {
  const message = `watch is not supported on resources of kind "${TYPE.plural}"`;
  return new StatusError(405, 'MethodNotAllowed', message, { kind: TYPE.plural });
}
