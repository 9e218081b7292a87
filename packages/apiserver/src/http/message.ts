import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { InProcessRequest, InProcessResponse } from './in-process-message.ts';

/** A request over HTTP/1.1 or HTTP/2, or within the process. */
export type RequestMessage = IncomingMessage | Http2ServerRequest | InProcessRequest;

/** A response over HTTP/1.1 or HTTP/2, or within the process. */
export type ResponseMessage = ServerResponse | Http2ServerResponse | InProcessResponse;
