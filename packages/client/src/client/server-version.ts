import type { Transport } from '../transport/transport.ts';
import { ApiError } from './api-error.ts';
import type { CallOptions } from './client.ts';
import { readJson } from './response-body.ts';

/** What `GET /version` answers. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  /** For example `v1.33.1`. */
  readonly gitVersion: string;
}

/**
 * The version of an API server: also the lightest way to learn whether it answers.
 *
 * @throws {ApiError} when the server refuses, or answers anything else.
 */
export async function serverVersion(transport: Transport, options: CallOptions = {}): Promise<ServerVersion> {
  const response = await transport.send({ method: 'GET', path: '/version', ...options });
  // It is shown in logs and in the fleet's status.
  const answer = response.withoutCredentials(await readJson(response));
  if (!isServerVersion(answer)) {
    throw new ApiError({ code: response.status, message: "the server's answer to /version is no version" });
  }
  return { major: answer.major, minor: answer.minor, gitVersion: answer.gitVersion };
}

function isServerVersion(value: unknown): value is ServerVersion {
  if (typeof value !== 'object' || value === null) return false;
  const { major, minor, gitVersion } = value as Readonly<Record<string, unknown>>;
  return [major, minor, gitVersion].every((field) => typeof field === 'string');
}
