import { foundText } from '@mcr/client';

/** @throws {TypeError} if `signal` is not an AbortSignal; the message says how to get one. */
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

/** Also accepts signals of another realm. */
function isSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = Object(value) as {
    readonly aborted?: unknown;
    readonly addEventListener?: unknown;
  };
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
}
