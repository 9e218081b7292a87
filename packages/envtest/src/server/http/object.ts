import { patchOf } from '../patch/patch.ts';
import { negotiate } from '../representation/representation.ts';
import { methodNotAllowed } from '../status.ts';
import type { Status } from '../status.ts';
import { parseDeleteOptions, remove } from '../verbs/delete.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Backend, Target } from '../verbs/target.ts';
import { get } from '../verbs/target.ts';
import { modify, update } from '../verbs/update.ts';
import { parseVersion, untilVersion } from '../verbs/version.ts';
import type { Exchange } from './exchange.ts';
import type { ObjectRoute } from './route.ts';

/** Answers a request for one object or a part of it. @throws {StatusError} */
export async function serveObject(backend: Backend, route: ObjectRoute, exchange: Exchange): Promise<void> {
  const representation = negotiate(exchange.header('accept'), route.type, exchange.query);
  const { code, object, gone } = await execute(backend, route, exchange);
  if (gone) exchange.send(code, deleted(route, object));
  else exchange.sendBytes(code, representation.object(object));
}

interface Outcome {
  readonly code: number;
  readonly object: StoredObject;
  readonly gone?: boolean;
}

async function execute(backend: Backend, route: ObjectRoute, exchange: Exchange): Promise<Outcome> {
  const { query } = exchange;
  const { part } = route;
  const dryRun = isDryRun(query);
  switch (exchange.method) {
    case 'GET':
      await untilVersion(backend.store, parseVersion(query.get('resourceVersion') ?? ''));
      return { code: 200, object: get(backend, route) };
    case 'PUT': {
      const { object, created } = update(backend, { target: route, part, body: await exchange.body(), dryRun });
      return { code: created ? 201 : 200, object };
    }
    case 'PATCH': {
      const patch = patchOf(route.type, exchange.contentType);
      const body = await exchange.body();
      const change = (current: unknown): unknown => patch(current, body);
      return { code: 200, object: modify(backend, { target: route, part, change, dryRun }) };
    }
    case 'DELETE': {
      if (part !== 'object') throw methodNotAllowed();
      const { object, gone } = remove(backend, route, parseDeleteOptions(await exchange.body(), query));
      return { code: 200, object, gone };
    }
    default:
      throw methodNotAllowed();
  }
}

export function isDryRun(query: URLSearchParams): boolean {
  return query.getAll('dryRun').includes('All');
}

function deleted({ type, name }: Target, { uid }: StoredObject): Status {
  const { group, plural } = type;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group !== '' && { group }), kind: plural, uid },
  };
}
