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
  if (url !== undefined || !service) return url ?? '';
  const { namespace = '', name = '', path = '', port = 443 } = service;
  return `https://${name}.${namespace}.svc:${port}${path === '' || path.startsWith('/') ? path : `/${path}`}`;
}
