import type { ClusterConfig } from '../config/cluster-config.ts';

/** Returns the URL of the server. @throws {TypeError} if it is not an HTTP URL, or has a user name or a password. */
export function serverUrl({ server }: ClusterConfig): URL {
  const url = URL.parse(server);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('server must be an absolute URL that begins with https:// or http://');
  }
  if (url.username || url.password)
    throw new TypeError('server must not contain a user name or password: set them in auth');
  return url;
}

/** Returns the path that the paths of requests begin with, without a slash at the end. */
export function basePathOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, '');
}
