import { patchOf } from '../patch/patch.ts';
import { negotiate } from '../representation/representation.ts';
import { methodNotAllowed } from '../status.ts';
import type { Status } from '../status.ts';
import { parseDeleteOptions, remove } from '../verbs/delete.ts';
import type { Backend, Target } from '../verbs/target.ts';
import { get } from '../verbs/target.ts';
import { modify, update } from '../verbs/update.ts';
import { parseVersion, untilVersion } from '../verbs/version.ts';
import type { Exchange } from './exchange.ts';
import type { ObjectRoute } from './route.ts';

/** Answers a request for one object or a part of it. @throws {StatusError} */
export async function serveObject(backend: Backend, route: ObjectRoute, exchange: Exchange): Promise<void> {
  const { type, part } = route;
  const { query } = exchange;
  const representation = negotiate(exchange.header('accept'), type, query);
  const dryRun = isDryRun(query);
  switch (exchange.method) {
    case 'GET':
      await untilVersion(backend.store, parseVersion(query.get('resourceVersion') ?? ''));
      return exchange.sendBytes(200, representation.object(get(backend, route)));
    case 'PUT': {
      const { object, created } = update(backend, { target: route, part, body: await exchange.json(), dryRun });
      return exchange.sendBytes(created ? 201 : 200, representation.object(object));
    }
    case 'PATCH': {
      const patch = patchOf(type, exchange.contentType);
      const body = await exchange.json();
      const change = (current: unknown): unknown => patch(current, body);
      return exchange.sendBytes(200, representation.object(modify(backend, { target: route, part, change, dryRun })));
    }
    case 'DELETE': {
      if (part !== 'object') throw methodNotAllowed();
      const { object, gone } = remove(backend, route, parseDeleteOptions(await exchange.json(), query));
      if (gone) return exchange.send(200, deleted(route, object.uid));
      return exchange.sendBytes(200, representation.object(object));
    }
    default:
      throw methodNotAllowed();
  }
}

export function isDryRun(query: URLSearchParams): boolean {
  return query.getAll('dryRun').includes('All');
}

function deleted({ type, name }: Target, uid: string): Status {
  const { group, plural } = type;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group !== '' && { group }), kind: plural, uid },
  };
}
