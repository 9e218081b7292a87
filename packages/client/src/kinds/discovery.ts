import { ApiError, isNotFound } from '../client/api-error.ts';
import { readJson } from '../client/response-body.ts';
import type { Transport } from '../transport/transport.ts';
import type { ServedKinds } from './rest-mapper.ts';

/** What is read of a discovery document (`APIResourceList`). */
interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/**
 * The kinds of one group version, from its discovery document; none when the server does not serve it.
 *
 * One small document is asked for, rather than the aggregated one of every group (KEP-3352), which grows with every
 * CRD of the cluster: a controller knows few kinds.
 *
 * @throws {ApiError} when the server answers anything else.
 */
export async function discover(transport: Transport, path: string): Promise<ServedKinds> {
  try {
    const response = await transport.send({ method: 'GET', path, headers: { accept: 'application/json' } });
    const answer = await readJson(response);
    if (!isResourceList(answer)) {
      throw new ApiError({ code: response.status, message: `the server's answer to ${path} is no list of resources` });
    }
    return new Map(
      answer.resources
        // Subresources (`pods/status`) are listed beside the resources they belong to.
        .filter(({ name }) => !name.includes('/'))
        .map(({ name, kind, namespaced }) => [kind, { plural: name, scope: namespaced ? 'Namespaced' : 'Cluster' }]),
    );
  } catch (error) {
    if (isNotFound(error)) return new Map();
    throw error;
  }
}

function isResourceList(value: unknown): value is ResourceList {
  if (typeof value !== 'object' || value === null || !('resources' in value)) return false;
  return Array.isArray(value.resources) && value.resources.every(isResource);
}

function isResource(value: unknown): value is ResourceList['resources'][number] {
  if (typeof value !== 'object' || value === null) return false;
  const { name, kind, namespaced } = value as Readonly<Record<string, unknown>>;
  return typeof name === 'string' && typeof kind === 'string' && typeof namespaced === 'boolean';
}
