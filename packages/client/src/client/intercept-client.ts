import { isNotFound } from '../response/api-error.ts';
import type { Client } from './client.ts';
import { delegatingClient } from './delegating-client.ts';

/**
 * Returns the methods of a client to override, as an object or an instance of a class. A method may call `client`, the
 * intercepted client.
 */
export type ClientHooks = (client: Client) => Partial<Client>;

/**
 * Returns a client with the methods of `hooks`, and those of `client` for the rest. Use it to count calls, to inject
 * failures in a test, or to change what is written. A hook of `get` also applies to `find`. Hooks of `list` and `watch`
 * also apply to caches. (Upstream: controller-runtime's `client/interceptor`.)
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
  const plain = { ...delegatingClient(client), packed: client.packed };
  const hooked = methodsOf(hooks(client), plain);
  const { get, list, watch } = hooked;
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
    ...((list || watch) && { packed: undefined }),
    ...hooked,
  };
}

/**
 * Returns the methods of `client` that `hooks` overrides, bound to `hooks`. Works for class instances, unlike a spread.
 */
function methodsOf(hooks: Partial<Client>, client: Client): Partial<Client> {
  const methods: Record<string, unknown> = {};
  for (const name of Object.keys(client) as (keyof Client)[]) {
    const hook = hooks[name];
    if (hook !== undefined) methods[name] = typeof hook === 'function' ? hook.bind(hooks) : hook;
  }
  return methods;
}
