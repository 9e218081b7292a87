import { delegatingTransport } from '../transport/delegating-transport.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import { requestInfo } from './request-info.ts';
import { CLIENT_SPAN, failSpan, SPAN_FAILED, type Span, type Tracer } from './tracer.ts';

/**
 * Returns a transport that records a span for each request, from its start until the response headers arrive. The span
 * is a child of the active span, for example of a reconcile.
 *
 * @param options.clusterName value of the attribute `k8s.cluster.name`.
 */
export function tracedTransport(
  transport: Transport,
  { tracer, clusterName }: { readonly tracer: Tracer; readonly clusterName?: string | undefined },
): Transport {
  const send = async (request: TransportRequest, span: Span): Promise<TransportResponse> => {
    try {
      const response = await transport.send(request);
      span.setAttribute('http.response.status_code', response.status);
      if (response.status >= 400) span.setStatus({ code: SPAN_FAILED, message: `status ${response.status}` });
      return response;
    } catch (error) {
      // An abort by the caller is not a failure.
      if (!request.signal?.aborted) failSpan(span, error);
      throw error;
    } finally {
      span.end();
    }
  };

  return delegatingTransport(transport, (request) => {
    const info = requestInfo(request);
    const [path = ''] = request.path.split('?', 1);
    const name = info ? `${info.verb} ${info.resource}` : `${request.method} ${path}`;
    const attributes = {
      'http.request.method': request.method,
      ...(clusterName !== undefined && { 'k8s.cluster.name': clusterName }),
      ...(info ? { 'mcr.verb': info.verb, 'mcr.resource': info.resource } : { 'url.path': path }),
      ...(info?.namespace !== undefined && { 'k8s.namespace.name': info.namespace }),
      ...(info?.name !== undefined && { 'k8s.object.name': info.name }),
    };
    return tracer.startActiveSpan(name, { kind: CLIENT_SPAN, attributes }, (span) => send(request, span));
  });
}
