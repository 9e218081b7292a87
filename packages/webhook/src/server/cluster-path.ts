import type { ClusterName } from '@mcr/core';
import { LOCAL_CLUSTER } from '@mcr/core';

const PREFIX = '/clusters/';

/** Characters that stay as they are in a path, also after API servers decode and encode it. */
const PLAIN = /^[A-Za-z0-9_-]$/u;

/** Maximum length of the part of a path that names a cluster, in characters. */
const MAX_LENGTH = 2048;

/**
 * Returns the path at which a cluster calls a webhook: the path itself for the local cluster, else
 * `/clusters/<name><path>`. In the name, characters other than letters, digits, `-` and `_` are written as `~` and the two
 * hexadecimal digits of each byte, because API servers decode `%2F`.
 */
export function clusterPath(cluster: ClusterName, path: string): string {
  if (cluster === LOCAL_CLUSTER) return path;
  const encoded = Array.from(cluster, (character) =>
    PLAIN.test(character) ? character : Array.from(Buffer.from(character), hexadecimal).join(''),
  );
  return `${PREFIX}${encoded.join('')}${path}`;
}

/** Splits a path into the cluster and the path of a webhook. Returns `undefined` if the name is not as above. */
export function splitClusterPath(path: string): { readonly cluster: ClusterName; readonly path: string } | undefined {
  if (!path.startsWith(PREFIX)) return { cluster: LOCAL_CLUSTER, path };
  const end = path.indexOf('/', PREFIX.length);
  if (end < 0 || end - PREFIX.length > MAX_LENGTH) return undefined;
  const encoded = path.slice(PREFIX.length, end);
  if (!/^(?:[A-Za-z0-9_-]|~[0-9a-f]{2})+$/u.test(encoded)) return undefined;
  try {
    return { cluster: decodeURIComponent(encoded.replaceAll('~', '%')), path: path.slice(end) };
  } catch {
    return undefined;
  }
}

function hexadecimal(byte: number): string {
  return `~${byte.toString(16).padStart(2, '0')}`;
}
