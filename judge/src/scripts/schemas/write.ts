import type { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import type { Fact } from '../session.ts';
import { withOrderedErrors } from '../../normaliser.ts';

/** A request, whose response is recorded. */
export interface Write {
  /** Text that identifies the request. */
  readonly asked: string;
  readonly method?: 'POST' | 'PATCH';
  readonly path: string;
  readonly type?: string;
  readonly body: unknown;
}

/** Sends a request, and returns the spec of the object, or the error. */
export async function write(client: RawClient, { asked, method = 'POST', path, type, body }: Write): Promise<Fact> {
  const headers = { 'content-type': type ?? 'application/json', 'user-agent': 'judge/1' };
  const answer = await client.request(method, path, { body, headers });
  const { message, details, spec } = withOrderedErrors(answer.body as never) as unknown as Refusal;
  if (answer.status < 300) return { asked, status: answer.status, answer: spec };
  // The names of types have a random number.
  const text = message.replaceAll(/selfType\d+/gu, 'selfType');
  return { asked, status: answer.status, answer: { message: text, causes: details?.causes?.length ?? 0 } };
}

interface Refusal {
  readonly message: string;
  readonly details?: { readonly causes?: readonly unknown[] };
  readonly spec: unknown;
}
