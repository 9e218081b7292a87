import type { Identity } from './server/tls/identity.ts';

/** PEM texts: what a server presents, and what its clients check that against. */
export type ServingIdentity = Identity;

/** A certificate for a server on this machine (127.0.0.1, localhost), and the authority that vouches for it. */
export async function createServingIdentity(): Promise<ServingIdentity> {
  // Making certificates takes a library that nothing else here needs.
  const { createIdentity } = await import('./server/tls/authority.ts');
  return createIdentity();
}
