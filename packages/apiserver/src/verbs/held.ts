import type { Steps } from './steps.ts';

/**
 * Runs a write that reserves values for the objects that it stores, and releases them at its end.
 *
 * @param write gets the function that registers a release.
 */
export function* holding<T>(write: (hold: (release: () => void) => void) => Steps<T>): Steps<T> {
  const releases: (() => void)[] = [];
  try {
    return yield* write((release) => releases.push(release));
  } finally {
    for (const release of releases) release();
  }
}
