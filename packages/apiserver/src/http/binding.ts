import { scalarText, valueAt } from '../resources/resource-type.ts';
import { methodNotAllowed } from '../status.ts';
import { binding } from '../verbs/bind.ts';
import { run } from '../verbs/steps.ts';
import type { Backend, Target } from '../verbs/target.ts';
import type { Exchange } from './exchange.ts';
import { readImplied } from './implied-kind.ts';
import { parseWriteOptions } from './write-options.ts';

/** Serves a request to assign a Pod to a node. @throws {StatusError} */
export async function serveBinding(backend: Backend, target: Target, exchange: Exchange): Promise<void> {
  if (exchange.method !== 'POST') throw methodNotAllowed();
  const options = parseWriteOptions(exchange, 'CreateOptions');
  const body = await readImplied(exchange, { apiVersion: 'v1', kind: 'Binding' });
  await run(binding(backend, { target, body, ...options }));
  exchange.send(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

/** Serves a Binding of a namespace, which names its Pod. @throws {StatusError} */
export async function serveBindings(backend: Backend, pods: Omit<Target, 'name'>, exchange: Exchange): Promise<void> {
  if (exchange.method !== 'POST') throw methodNotAllowed();
  const options = parseWriteOptions(exchange, 'CreateOptions');
  const body = await readImplied(exchange, { apiVersion: 'v1', kind: 'Binding' });
  const name = scalarText(valueAt(body, 'metadata.name'));
  await run(binding(backend, { target: { ...pods, name }, body, ...options }));
  exchange.send(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}
