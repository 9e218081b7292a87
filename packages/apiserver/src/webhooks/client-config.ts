import { posix } from 'node:path';

/** How a webhook is reached. The fields were checked when the configuration was written. */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?: WebhookService | undefined;
  /** PEM, in base64. */
  readonly caBundle?: string | undefined;
}

export interface WebhookService {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  readonly port?: number | undefined;
}

/** Returns the URL of a webhook. A service has the URL of its DNS name. */
export function urlOf({ url, service }: WebhookClientConfig): string {
  if (url !== undefined || !service) return withCleanPath(url ?? '');
  const { namespace = '', name = '', path = '', port = 443 } = service;
  return `https://${name}.${namespace}.svc:${port}${path === '' || path.startsWith('/') ? path : `/${path}`}`;
}

/** Returns a URL whose path has no repeated or trailing slash, as kube-apiserver requests it. */
function withCleanPath(url: string): string {
  return url.replace(/^(https?:\/\/[^/]*)(\/.*)$/, (_, origin: string, path: string) => {
    const clean = posix.normalize(path);
    return origin + (clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean);
  });
}
