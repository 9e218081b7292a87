import * as z from 'zod';
import type { ManagedCertificateOptions, ParsedManagedCertificate } from './managed/managed-certificate-options.ts';
import { managedCertificateSchema } from './managed/managed-certificate-options.ts';

/** Where the serving certificate comes from. Files are read again every 10 s, as cert-manager replaces them. */
export type CertificateOptions = CertificateDirectory | CertificateFiles | ManagedCertificateOptions;

/** A directory with the files of a Secret of type `kubernetes.io/tls`: `tls.crt`, `tls.key`, and `ca.crt` if present. */
export interface CertificateDirectory {
  readonly certDir: string;
}

/** Files of a certificate. */
export interface CertificateFiles {
  /** PEM file of the certificate and its intermediate CAs. */
  readonly certFile: string;
  /** PEM file of its key. */
  readonly keyFile: string;
  /** PEM file of the CAs that API servers verify it with. Default: none; API servers use their system roots, unless
   * `installWebhooks` has `caBundle`. */
  readonly caFile?: string | undefined;
}

const directorySchema = z.strictObject({ certDir: z.string().min(1) });
const filesSchema = z.strictObject({
  certFile: z.string().min(1),
  keyFile: z.string().min(1),
  caFile: z.string().min(1).optional(),
});

export type ParsedCertificateOptions = CertificateDirectory | CertificateFiles | ParsedManagedCertificate;

export const certificateOptionsSchema: z.ZodType<ParsedCertificateOptions, CertificateOptions> = z.union(
  [directorySchema, filesSchema, managedCertificateSchema],
  { error: ({ input }) => (hasSource(input) ? undefined : SOURCES) },
);

const SOURCES =
  "expected { certDir: '/certs' } for files, { certFile, keyFile, caFile }, or { secret, hosts } for a certificate that the replicas manage";

function hasSource(input: unknown): boolean {
  return ['certDir', 'certFile', 'keyFile', 'secret'].some((name) => Object.hasOwn(Object(input) as object, name));
}
