import { isNotFound } from '../response/api-error.ts';
import type { Client } from './client.ts';
import { delegatingClient } from './delegating-client.ts';

/**
 * The methods of a client that are to be other ones: of an object, or of an instance of a class. Each may call `client`,
 * the one that is intercepted.
 */
export type ClientHooks = (client: Client) => Partial<Client>;

/**
 * A client whose methods are those of `hooks` where it has them, and those of `client` else: to count calls, to fail
 * them in a test, to change what is written. A hook of `get` holds for `find` too, and one of `watchBatches` for
 * `watch`. (Upstream: controller-runtime's `client/interceptor`.)
 *
 * @example
 * const failing = interceptClient(client, (inner) => ({
 *   async update(kind, object, options) {
 *     if (kind.kind === 'Secret') throw new ApiError({ code: 503 });
 *     return inner.update(kind, object, options);
 *   },
 * }));
 */
export function interceptClient(client: Client, hooks: ClientHooks): Client {
  const plain = delegatingClient(client);
  const hooked = methodsOf(hooks(client), plain);
  const { get, watchBatches } = hooked;
  return {
    ...plain,
    ...(get && {
      find: async (kind, key, options) => {
        try {
          return await get(kind, key, options);
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      },
    }),
    ...(watchBatches && {
      async *watch(kind, options) {
        for await (const events of watchBatches(kind, options)) yield* events;
      },
    }),
    ...hooked,
  };
}

/** Those of `client` that `hooks` has too, with `this` as it is there; a spread would leave out what a class has. */
function methodsOf(hooks: Partial<Client>, client: Client): Partial<Client> {
  const methods: Record<string, unknown> = {};
  for (const name of Object.keys(client) as (keyof Client)[]) {
    const hook = hooks[name];
    if (hook !== undefined) methods[name] = typeof hook === 'function' ? hook.bind(hooks) : hook;
  }
  return methods;
}
