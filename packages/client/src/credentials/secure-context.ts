import { createSecureContext, type SecureContext } from 'node:tls';
import type { TlsConfig } from '../config/cluster-config.ts';

/** The one that is made to see whether a config can be used serves its connections too: making it takes long. */
const made = new WeakMap<TlsConfig, SecureContext>();

/**
 * What a connection is encrypted with, by the PEMs of `tls`: the same for the same object.
 *
 * @throws when they are none, or the key does not belong to the certificate. The error holds nothing of them.
 */
export function secureContextOf(tls: TlsConfig): SecureContext {
  let context = made.get(tls);
  if (!context) made.set(tls, (context = newContext(tls)));
  return context;
}

function newContext({ caData, certData, keyData }: TlsConfig): SecureContext {
  // Node.js takes a text without a certificate for a list of none, so that no server would be trusted.
  if (caData !== undefined && !caData.includes('-----BEGIN ')) throw new Error('the authorities are not a PEM');
  return createSecureContext({
    ...(caData !== undefined && { ca: caData }),
    ...(certData !== undefined && { cert: certData }),
    ...(keyData !== undefined && { key: keyData }),
  });
}
