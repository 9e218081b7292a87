import type { Transport } from '../transport/transport.ts';
import type { CallOptions } from './client.ts';
import { shortened } from '../text/shortened.ts';
import { readJson, invalidResponse } from '../response/response-body.ts';

/** Maximum length of each field, in bytes. */
const LONGEST_VERSION = 128;

/** Body of `GET /version`. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  /** For example `v1.33.1`. */
  readonly gitVersion: string;
}

/**
 * Returns the version of an API server. This is also the cheapest way to check whether it responds.
 *
 * @throws {ApiError} if the server refuses the request or its response is invalid.
 */
export async function serverVersion(transport: Transport, options: CallOptions = {}): Promise<ServerVersion> {
  const response = await transport.send({ method: 'GET', path: '/version', purpose: 'version', ...options });
  const answer = await readJson(response, 'GET /version');
  if (!isServerVersion(answer)) throw invalidResponse('GET /version', 'major, minor and gitVersion must be strings');
  // These fields appear in logs and in the fleet status.
  const shown = (text: string) => shortened(response.withoutCredentials(text), LONGEST_VERSION);
  return { major: shown(answer.major), minor: shown(answer.minor), gitVersion: shown(answer.gitVersion) };
}

function isServerVersion(value: unknown): value is ServerVersion {
  if (typeof value !== 'object' || value === null) return false;
  const { major, minor, gitVersion } = value as Readonly<Record<string, unknown>>;
  return [major, minor, gitVersion].every((field) => typeof field === 'string');
}
