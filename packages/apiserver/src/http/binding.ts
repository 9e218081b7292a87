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
