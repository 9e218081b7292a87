import { badRequest } from '../status.ts';
import type { DeleteOptions } from '../verbs/delete.ts';
import { parseDeleteOptions } from '../verbs/delete-options.ts';
import { admittedDeleteOptions } from './admitted-options.ts';
import type { Exchange } from './exchange.ts';
import { identified, UnreadableBody } from './readable-body.ts';

const NO_QUERY = new URLSearchParams();

/** Reads the options of a DELETE. Those in the query count only without a body. @throws {StatusError} 400, 413, 415 or 422 */
export async function readDeleteOptions(exchange: Exchange): Promise<DeleteOptions> {
  const body = await exchange.body();
  const options = parseDeleteOptions(readable(body), body === undefined ? exchange.query : NO_QUERY);
  return admittedDeleteOptions(exchange, options);
}

function readable(body: unknown): unknown {
  try {
    return identified(body);
  } catch (error) {
    throw error instanceof UnreadableBody ? badRequest(error.message) : error;
  }
}
