import type { KubernetesObject } from '../kinds/object.ts';
import type { Informer } from './informer.ts';

/**
 * Resolves when the first list is in the store. Unlike `waitForSync`, it does not wait for a server that refuses the list.
 *
 * @throws the `refusal` of the informer before the sync, the reason of `signal` if it aborts first, or an
 * `InformerStoppedError` if the informer stops first.
 */
export async function untilSynced(
  informer: Pick<Informer<KubernetesObject>, 'hasSynced' | 'waitForSync' | 'refusal' | 'onProgress'>,
  signal: AbortSignal,
): Promise<void> {
  if (informer.hasSynced) return;
  const refused = Promise.withResolvers<never>();
  const check = (): void => {
    if (informer.refusal && !informer.hasSynced) refused.reject(informer.refusal);
  };
  const stop = informer.onProgress(check);
  check();
  try {
    await Promise.race([informer.waitForSync(signal), refused.promise]);
  } finally {
    stop();
  }
}
