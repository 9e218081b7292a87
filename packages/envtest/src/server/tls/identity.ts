import { z } from 'zod';

/** PEM texts: what a server presents, what its clients check that against, and what signs certificates of clients. */
export const identitySchema = z.strictObject({
  caCertificate: z.string(),
  caKey: z.string(),
  certificate: z.string(),
  key: z.string(),
});
export type Identity = z.infer<typeof identitySchema>;
