import { foundText } from '@mcr/client';

/** @throws {TypeError} if `signal` is not an AbortSignal. The message shows how to create one. */
export function checkSignal(call: string, signal: unknown): asserts signal is AbortSignal {
  if (isSignal(signal)) return;
  const expected = `${call}: expected an AbortSignal, found ${foundText(signal)}`;
  if (isSignal((Object(signal) as { readonly signal?: unknown }).signal)) {
    throw new TypeError(
      `${expected} with a property signal: pass that property, as in ${call}(shutdownSignal().signal)`,
    );
  }
  throw new TypeError(`${expected}: pass one that ends it, as in ${call}(shutdownSignal().signal)`);
}

/** @throws {TypeError} if `runnable` cannot be run. */
export function checkRunnable(call: string, runnable: unknown): void {
  if (typeof (Object(runnable) as { readonly run?: unknown }).run === 'function') return;
  const remedy = typeof runnable === 'function' ? 'pass { run: (signal) => ... }' : 'give it that method';
  throw new TypeError(
    `${call}: expected a runnable, which has a method run(signal), found ${foundText(runnable)}: ${remedy}`,
  );
}

/** @throws {TypeError} if `provider` is not a provider. */
export function checkProvider(call: string, provider: unknown): void {
  if (hasMethods(provider, 'get', 'indexField')) return;
  throw new TypeError(
    `${call}: expected a Provider, which has get() and indexField(), found ${foundText(provider)}: pass one such as createFileProvider(options)`,
  );
}

/** @throws {TypeError} if `name` is not a string, or `cluster` is not a cluster. */
export function checkCluster(call: string, name: unknown, cluster: unknown): void {
  if (typeof name !== 'string') {
    throw new TypeError(`${call}: expected the name of a cluster first, found ${foundText(name)}`);
  }
  if (hasMethods(cluster, 'ready', 'run')) return;
  throw new TypeError(
    `${call}: expected a Cluster, which has ready() and run(), found ${foundText(cluster)}: pass what createCluster(config) returns`,
  );
}

/** @throws {TypeError} if a cluster cannot be engaged with these arguments. */
export function checkEngagement(call: string, name: unknown, cluster: unknown, signal: unknown): void {
  checkCluster(call, name, cluster);
  if (isSignal(signal)) return;
  throw new TypeError(
    `${call}: expected an AbortSignal that ends the engagement, found ${foundText(signal)}: pass the signal of the provider's run(), or one that follows it`,
  );
}

function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  const methods = Object(value) as Readonly<Record<string, unknown>>;
  return names.every((name) => typeof methods[name] === 'function');
}

/** Also accepts signals of another realm. */
function isSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = Object(value) as {
    readonly aborted?: unknown;
    readonly addEventListener?: unknown;
  };
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
}
