import { DocumentError } from '../json/document-error.ts';
import type { KubernetesList } from '../kinds/object.ts';
import { ListScanner } from '../packed/list-scanner.ts';
import { ObjectShapeError } from '../packed/object-shape-error.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import { scanInTurns } from '../packed/scan-in-turns.ts';
import { checkJson, invalidResponse } from '../response/response-body.ts';
import type { TransportResponse } from '../transport/transport.ts';

export interface PackedListOptions {
  /** Maximum size of an object, in bytes. */
  readonly maxItem: number;
  /** Receives the token of the next page before the objects are read. */
  readonly onContinue?: ((token: string) => void) | undefined;
}

/**
 * Yields the objects of a list while its bytes arrive. Returns the metadata of the list.
 *
 * @param subject names the request in errors, for example `list of v1 Pod`.
 * @throws {ApiError} if the server refused the request, or the body is not a list or exceeds a limit.
 */
export async function* readPackedList(
  response: TransportResponse,
  subject: string,
  options: PackedListOptions,
): AsyncGenerator<PackedBatch, KubernetesList<unknown>['metadata'], undefined> {
  await checkJson(response, subject);
  const scanner = new ListScanner(options);
  try {
    for await (const batch of scanInTurns(response.body, (chunks) => scanner.push(...chunks))) {
      if (batch) yield batch;
    }
    const { metadata, batch } = scanner.end();
    if (batch) yield batch;
    return metadata;
  } catch (error) {
    if (error instanceof DocumentError)
      throw invalidResponse(subject, `the document ${error.message}`, response.status);
    if (error instanceof ObjectShapeError) throw invalidResponse(subject, error.message, response.status);
    throw error;
  }
}
