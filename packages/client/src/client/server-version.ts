import { z } from 'zod';
import type { Transport } from '../transport/transport.ts';
import type { CallOptions } from './client.ts';
import { readJson } from './response-body.ts';

/** What `GET /version` answers. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  /** For example `v1.33.1`. */
  readonly gitVersion: string;
}

const versionInfo = z.object({ major: z.string(), minor: z.string(), gitVersion: z.string() });

/** The version of an API server: also the lightest way to learn whether it answers. */
export async function serverVersion(transport: Transport, options: CallOptions = {}): Promise<ServerVersion> {
  const response = await transport.send({ method: 'GET', path: '/version', ...options });
  return versionInfo.parse(await readJson(response));
}
