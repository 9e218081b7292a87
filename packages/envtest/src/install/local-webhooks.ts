import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDirectory } from '@mcr/apiserver/protocol';
import * as z from 'zod';
import { freePort } from '../binaries/server-files.ts';
import { TemporaryDirectory } from './temporary-directory.ts';

/** Webhooks to install. */
export interface WebhookOptions {
  /** Files and directories with Mutating- and ValidatingWebhookConfigurations. */
  readonly paths: readonly string[];
  /** Host that the API server calls. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Port that the API server calls. Default: a free one. */
  readonly port?: number | undefined;
  /** Directory of the certificate. Default: a temporary one, which is deleted when the control plane stops, or this process ends. */
  readonly certDir?: string | undefined;
}

/** Where the server of webhooks listens, and its certificate. (Upstream: `WebhookInstallOptions` of `pkg/envtest`.) */
export interface LocalWebhooks {
  readonly host: string;
  readonly port: number;
  /** Directory with `tls.crt`, `tls.key` and `ca.crt`. */
  readonly certDir: string;
  /** Authority that signed the certificate, in PEM. The configurations have it as `caBundle`. */
  readonly caCertificate: string;
}

export const webhookOptionsSchema = z.strictObject({
  paths: z
    .array(z.string())
    .min(1, 'expected at least one file or directory, found none: name one, or remove the option "webhooks"'),
  host: z.string().min(1).optional(),
  port: z.int().min(1).max(65_535).optional(),
  certDir: z.string().min(1).optional(),
} satisfies Record<keyof WebhookOptions, z.ZodType>);

/** An address for webhooks, with a certificate. */
export interface PreparedWebhooks {
  readonly webhooks: LocalWebhooks;
  /** Deletes a temporary directory. */
  remove(): Promise<void>;
}

/**
 * Chooses an address and creates a certificate for it.
 *
 * @throws {Error} that names the option if the directory cannot be written.
 */
export async function prepareWebhooks({
  host = '127.0.0.1',
  port,
  certDir,
}: WebhookOptions): Promise<PreparedWebhooks> {
  // Loaded on demand: only this function needs the certificate library.
  const { createIdentity } = await import('@mcr/apiserver/tls');
  const { caCertificate, certificate, key } = await createIdentity({ hosts: [host] });
  const files = { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': caCertificate };
  const temporary = certDir === undefined ? await TemporaryDirectory.create('mcr-webhooks-') : undefined;
  const directory = temporary?.path ?? certDir ?? '';
  try {
    createDirectory(directory);
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(directory, name), text, { mode: name === 'tls.key' ? 0o600 : 0o666 });
    }
    return {
      webhooks: { host, port: port ?? (await freePort()), certDir: directory, caCertificate },
      remove: async () => temporary?.remove(),
    };
  } catch (cause) {
    await temporary?.remove();
    throw new Error(`webhooks.certDir: ${(cause as Error).message}`, { cause });
  }
}
