import { z } from 'zod';
import { isNotFound } from '../client/api-error.ts';
import { readJson } from '../client/response-body.ts';
import type { Transport } from '../transport/transport.ts';
import type { ServedKinds } from './rest-mapper.ts';

const resourceList = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});

/**
 * The kinds of one group version, from its discovery document; none when the server does not serve it.
 *
 * One small document is asked for, rather than the aggregated one of every group (KEP-3352), which grows with every
 * CRD of the cluster: a controller knows few kinds.
 */
export async function discover(transport: Transport, path: string): Promise<ServedKinds> {
  try {
    const response = await transport.send({ method: 'GET', path, headers: { accept: 'application/json' } });
    const { resources } = resourceList.parse(await readJson(response));
    return new Map(
      resources
        // Subresources (`pods/status`) are listed beside the resources they belong to.
        .filter(({ name }) => !name.includes('/'))
        .map(({ name, kind, namespaced }) => [kind, { plural: name, scope: namespaced ? 'Namespaced' : 'Cluster' }]),
    );
  } catch (error) {
    if (isNotFound(error)) return new Map();
    throw error;
  }
}
