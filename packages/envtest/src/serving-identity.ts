/** PEM data: the certificate that a server presents, and the authority that clients verify it with. */
export interface ServingIdentity {
  readonly caCertificate: string;
  readonly caKey: string;
  readonly certificate: string;
  readonly key: string;
}

/** Creates a certificate for a server on this machine (127.0.0.1, localhost) and the authority that signed it. */
export async function createServingIdentity(): Promise<ServingIdentity> {
  // Loaded on demand: only this function needs the certificate library.
  const { createIdentity } = await import('@mcr/apiserver/tls');
  return createIdentity();
}
