import { createSecureContext, type SecureContext } from 'node:tls';
import type { TlsConfig } from '../config/cluster-config.ts';

/** Caches contexts, because creating one is slow: the context that validates a config also serves its connections. */
const contexts = new WeakMap<TlsConfig, SecureContext>();

/**
 * Returns the secure context for the PEMs of `tls`: the same context for the same object.
 *
 * @throws if a PEM is not valid, or the key does not match the certificate. The error does not contain the PEMs.
 */
export function secureContextOf(tls: TlsConfig): SecureContext {
  let context = contexts.get(tls);
  if (!context) contexts.set(tls, (context = newContext(tls)));
  return context;
}

function newContext({ caData, certData, keyData }: TlsConfig): SecureContext {
  // Node.js reads a text without a certificate as an empty list, with which every server is untrusted.
  if (caData !== undefined && !caData.includes('-----BEGIN ')) {
    throw new Error('the certificate authorities are not a PEM');
  }
  return createSecureContext({
    ...(caData !== undefined && { ca: caData }),
    ...(certData !== undefined && { cert: certData }),
    ...(keyData !== undefined && { key: keyData }),
  });
}
