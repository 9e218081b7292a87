import * as z from 'zod';

/**
 * PEM data: the certificate that the server presents, the authority that clients verify it with, and the key that signs
 * client certificates.
 */
export const identitySchema = z.strictObject({
  caCertificate: z.string(),
  caKey: z.string(),
  certificate: z.string(),
  key: z.string(),
});
export type Identity = z.infer<typeof identitySchema>;
