import { ChunkedBody, type TransportResponse } from '@mcr/client';

/** Follows the body of a response. Either {@link done} or {@link failed} is called at the end. */
export interface BodyObserver {
  /** Called for each chunk. Default: chunks are ignored. */
  received?(bytes: number): void;
  /** Called when the body was read to its end, or its reader needs no more of it. */
  done(): void;
  /** Receives why the body could not be read, and returns the error for its reader. */
  failed(error: unknown): unknown;
}

/** Returns a response whose body is observed while it is read. */
export function observedResponse(response: TransportResponse, observer: BodyObserver): TransportResponse {
  const { status, headers } = response;
  return {
    status,
    headers,
    body: observedBody(response.body, observer),
    bytes: async () => {
      const bytes = await response.bytes().catch((error: unknown) => {
        throw observer.failed(error);
      });
      observer.done();
      return bytes;
    },
    withoutCredentials: (part) => response.withoutCredentials(part),
    cancel: () => {
      observer.done();
      response.cancel();
    },
  };
}

function observedBody(body: AsyncIterable<Uint8Array>, observer: BodyObserver): ChunkedBody {
  return new ChunkedBody(observedGroups(ChunkedBody.groupsOf(body), observer));
}

async function* observedGroups(
  groups: AsyncIterable<readonly Uint8Array[]>,
  observer: BodyObserver,
): AsyncGenerator<readonly Uint8Array[]> {
  let hasFailed = false;
  try {
    for await (const group of groups) {
      for (const { byteLength } of group) observer.received?.(byteLength);
      yield group;
    }
  } catch (error) {
    hasFailed = true;
    throw observer.failed(error);
  } finally {
    if (!hasFailed) observer.done();
  }
}
