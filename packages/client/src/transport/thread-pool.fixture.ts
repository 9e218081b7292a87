import type { LookupAddress } from 'node:dns';

type Lookup = (name: string) => Promise<readonly LookupAddress[]>;

/** Number of libuv's threads that `getaddrinfo` can use. */
const THREADS = 2;

/** Runs two lookups at a time. The others wait in order, as in libuv's thread pool. */
export function startThreadPool(run: Lookup) {
  let running = 0;
  const waiting: (() => void)[] = [];
  const lookup: Lookup = async (name) => {
    if (running === THREADS) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    // The next lookup uses the same thread.
    const release = () => {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    };
    return run(name).finally(release);
  };
  return {
    lookup,
    get running(): number {
      return running;
    },
    get waiting(): number {
      return waiting.length;
    },
  };
}
