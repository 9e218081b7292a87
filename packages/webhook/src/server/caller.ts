import type { TLSSocket } from 'node:tls';
import type { ClusterName } from '@mcr/core';
import type { ServerRequest } from './listener.ts';
import { RefusedRequestError } from './refused-request-error.ts';

/** The caller of a webhook, as far as the call shows. */
export interface Caller {
  /** The cluster that the path names. */
  readonly cluster: ClusterName;
  /** Path of the webhook. */
  readonly webhook: string;
  /** Bearer token. Absent if the API server is not configured to send one. */
  readonly token?: string | undefined;
  /** Client certificate that `clientCaFile` has signed. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] } | undefined;
  /** Aborts at the deadline of the review. */
  readonly signal: AbortSignal;
}

/**
 * Authenticates API servers. They send credentials only if the file of their flag `--admission-control-config-file` names
 * a kubeconfig for webhooks, and never to conversion webhooks.
 */
export interface CallerAuth {
  /** PEM file of the authorities of client certificates. With it, every caller needs a certificate. Read again every 10 s. */
  readonly clientCaFile?: string | undefined;
  /** Decides whether a caller may call. If it throws, the response is 500. Default: with a certificate, every caller may. */
  readonly authenticate?: ((caller: Caller) => boolean | Promise<boolean>) | undefined;
}

/** @throws {RefusedRequestError} with status 401 if the caller may not call. */
export async function authenticate(
  auth: CallerAuth,
  request: ServerRequest,
  call: Pick<Caller, 'cluster' | 'webhook' | 'signal'>,
): Promise<void> {
  const certificate = certificateOf(request);
  const refused = new RefusedRequestError(401, 'the caller is not authenticated');
  if (auth.clientCaFile !== undefined && !certificate) throw refused;
  const token = /^Bearer (\S{1,16384})$/iu.exec(request.headers.authorization ?? '')?.[1];
  const allowed: unknown = auth.authenticate ? await auth.authenticate({ ...call, token, certificate }) : true;
  // Strict, because a result of another type must not grant access.
  if (allowed !== true) throw refused;
}

function certificateOf(request: ServerRequest): Caller['certificate'] {
  const socket = ('stream' in request ? request.stream.session?.socket : request.socket) as TLSSocket | undefined;
  if (socket?.authorized !== true) return undefined;
  const { subject } = socket.getPeerCertificate() as { readonly subject?: Readonly<Record<string, unknown>> };
  if (!subject) return undefined;
  const organizations = [subject['O'] ?? []].flat().map(String);
  return { commonName: typeof subject['CN'] === 'string' ? subject['CN'] : '', organizations };
}
