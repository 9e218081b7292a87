import { z } from 'zod';

/** PEM texts: what a server presents, and what its clients check that against. */
export const identitySchema = z.strictObject({ caCertificate: z.string(), certificate: z.string(), key: z.string() });
export type Identity = z.infer<typeof identitySchema>;
