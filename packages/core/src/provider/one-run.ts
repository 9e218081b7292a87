/** The providers that run. */
const running = new WeakSet<object>();

/**
 * Runs a provider, unless it runs already: two runs would engage, disengage and stop the same clusters without knowing of
 * each other. After a run has ended, the next one may begin.
 *
 * @param what name of the provider in errors, for example `provider FileProvider`.
 * @throws {TypeError} if the provider runs already.
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
