import * as z from 'zod';

/**
 * PEM data: the certificate that the server presents, the authority that clients verify it with, and the key that signs
 * client certificates.
 */
export interface Identity {
  readonly caCertificate: string;
  readonly caKey: string;
  readonly certificate: string;
  readonly key: string;
}

export const identitySchema: z.ZodType<Identity> = z.strictObject({
  caCertificate: z.string(),
  caKey: z.string(),
  certificate: z.string(),
  key: z.string(),
});
