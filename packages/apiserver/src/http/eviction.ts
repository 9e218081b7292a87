import { partFormat } from '../representation/encoded-response.ts';
import { badRequest, methodNotAllowed } from '../status.ts';
import { valueAt } from '../resources/resource-type.ts';
import { parseDeleteOptions } from '../verbs/delete-options.ts';
import { admitAction } from '../verbs/admitted.ts';
import { evicting } from '../verbs/evict.ts';
import { run } from '../verbs/steps.ts';
import type { Backend } from '../verbs/target.ts';
import type { Exchange } from './exchange.ts';
import { readImplied } from './implied-kind.ts';
import type { ObjectRoute } from './route.ts';
import { parseWriteOptions } from './write-options.ts';

const EVICTION = { apiVersion: 'policy/v1', kind: 'Eviction' };

/** Serves a request to evict a pod (API-initiated eviction). @throws {StatusError} */
export async function serveEviction(backend: Backend, target: ObjectRoute, exchange: Exchange): Promise<void> {
  if (exchange.method !== 'POST') throw methodNotAllowed();
  partFormat(exchange.header('accept'), target.type);
  const { dryRun, admission } = parseWriteOptions(exchange, 'CreateOptions');
  const eviction = await readImplied(exchange, EVICTION);
  const name = valueAt(eviction, 'metadata.name');
  if (name !== target.name) throw badRequest('name in URL does not match name in Eviction object');
  const options = parseDeleteOptions(valueAt(eviction, 'deleteOptions'), exchange.query);
  // Webhooks and policies see the eviction, and not the deletion.
  await run(admitAction(backend, admission, { ...target, ...EVICTION, subresource: 'eviction' }, eviction));
  await run(evicting(backend, target, { ...options, dryRun: dryRun || options.dryRun }));
  exchange.send(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}
