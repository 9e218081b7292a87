import type { Manager } from './manager.ts';
import { withAdd } from './scoped-manager.ts';

/**
 * Returns a view of `manager` for a part that may be removed before the manager stops, such as one of several
 * providers. Runnables, claims and controller names that were added through the view end when `signal` aborts.
 */
export function limitedManager(manager: Manager, signal: AbortSignal): Manager {
  const add: Manager['add'] = async (runnable) => {
    signal.throwIfAborted();
    await manager.add(runnable, { signal });
  };
  const own: Partial<Manager> = {
    add,
    claimControllerName: (name) => {
      signal.throwIfAborted();
      manager.claimControllerName(name, { signal });
    },
    claim: (part, what) => {
      signal.throwIfAborted();
      return manager.claim(part, what, { signal });
    },
    localManager: withAdd(manager.localManager, add),
    getManager: async (name) => withAdd(await manager.getManager(name), add),
  };
  return new Proxy(manager, {
    get(target, property) {
      if (Object.hasOwn(own, property)) return own[property as keyof Manager];
      // The manager is the receiver, because the view has no access to its private fields.
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
