import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import { createClient } from './create-client.ts';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Returns a client whose transport answers each request with `answer`, and the requests that it received. */
export function clientRespondingWith(answer: Answer) {
  const requests: TransportRequest[] = [];
  const transport: Transport = {
    send: (request) => {
      requests.push(request);
      return Promise.resolve(responseOf(answer));
    },
    rotate: () => Promise.resolve(),
    onCredentials: () => () => undefined,
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const client = createClient({ server: 'https://h' }, { transport });
  return {
    client,
    requests,
    get requestLines() {
      return requests.map(({ method, path }) => `${method} ${path}`);
    },
  };
}

function responseOf({ status = 200, headers = {}, body }: Answer): TransportResponse {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return {
    status,
    headers,
    cancel: () => undefined,
    withoutCredentials: (part) => part,
    bytes: () => Promise.resolve(bytes),
    body: (async function* () {
      yield await Promise.resolve(bytes);
    })(),
  };
}
