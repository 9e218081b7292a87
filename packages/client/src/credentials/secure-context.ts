import { createHash } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { TlsConfig } from '../config/cluster-config.ts';

/** The contexts of configs, so that no digest is computed for a known object. */
const contexts = new WeakMap<TlsConfig, SecureContext>();

/**
 * Contexts in use, by a digest of their PEMs. A context takes tens of kilobytes, and a fleet often has one certificate
 * authority. A context contains no state of a connection, and clients resume no TLS sessions.
 */
const shared = new Map<string, WeakRef<SecureContext>>();

const collected = new FinalizationRegistry<string>((digest) => {
  // Another context may have taken its place.
  if (!shared.get(digest)?.deref()) shared.delete(digest);
});

/**
 * Returns the secure context for the PEMs of `tls`: the same context for equal PEMs while it is in use.
 *
 * @throws if a PEM is not valid, or the key does not match the certificate. The error does not contain the PEMs.
 */
export function secureContextOf(tls: TlsConfig): SecureContext {
  let context = contexts.get(tls);
  if (!context) contexts.set(tls, (context = sharedContext(tls)));
  return context;
}

function sharedContext(tls: TlsConfig): SecureContext {
  const digest = digestOf(tls);
  const known = shared.get(digest)?.deref();
  if (known) return known;
  const context = newContext(tls);
  shared.set(digest, new WeakRef(context));
  collected.register(context, digest);
  return context;
}

/** Returns a digest, because the keys of the map must not keep private keys in memory. */
function digestOf({ caData, certData, keyData }: TlsConfig): string {
  const pems = JSON.stringify([caData ?? null, certData ?? null, keyData ?? null]);
  return createHash('sha256').update(pems).digest('base64');
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
