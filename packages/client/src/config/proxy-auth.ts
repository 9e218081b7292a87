import type { ClusterConfig } from './cluster-config.ts';

/**
 * Returns a copy of `config` with the user name and password of its proxy in `proxyAuth` instead of `proxyUrl`, because
 * printing a copy of the config shows `proxyUrl`. Leaves an invalid URL as is: transports refuse it.
 */
export function withProxyAuth(config: ClusterConfig): ClusterConfig {
  const url = config.proxyUrl?.includes('@') ? URL.parse(config.proxyUrl) : null;
  if (!url || (!url.username && !url.password)) return config;
  let proxyAuth: ClusterConfig['proxyAuth'];
  try {
    proxyAuth = { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  } catch {
    return config;
  }
  url.username = '';
  url.password = '';
  return { ...config, proxyUrl: url.href.replace(/(?<=[^/])\/$/, ''), proxyAuth };
}

/** Returns the URL of a proxy with its user name and password, as written in a kubeconfig. */
export function proxyUrlOf(config: ClusterConfig): string | undefined {
  const { proxyUrl, proxyAuth } = withProxyAuth(config);
  const url = proxyUrl === undefined ? null : URL.parse(proxyUrl);
  if (!url || !proxyAuth) return proxyUrl;
  url.username = encodeURIComponent(proxyAuth.username);
  url.password = encodeURIComponent(proxyAuth.password);
  return url.href.replace(/(?<=[^/])\/$/, '');
}
