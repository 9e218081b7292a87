/** The providers that are running. */
const running = new WeakSet<object>();

/**
 * Runs a provider, unless it is running already: two concurrent runs would engage, disengage and stop the same clusters.
 * After a run has ended, the next one may begin.
 *
 * @param what name of the provider in errors, for example `provider FileProvider`.
 * @throws {TypeError} if the provider is running already.
 */
export async function oneRun(provider: object, what: string, run: () => Promise<void>): Promise<void> {
  if (running.has(provider)) {
    throw new TypeError(`${what} is in use by another run: create a new one, or end that run first`);
  }
  running.add(provider);
  try {
    await run();
  } finally {
    running.delete(provider);
  }
}
