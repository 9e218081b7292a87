import { createClient, isAlreadyExists, Namespace, Secret } from '@mcr/core';
import { type ControlPlaneFleet, createControlPlaneFleet } from '@mcr/envtest';
import { POD_NAMESPACE, type Project } from '../project/project.ts';

/** Label of the Secrets that the kubeconfig provider reads by default. */
const LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';

/**
 * Starts a hub and members with the kinds of a project. The hub has the namespaces that the project names. Namespaces whose
 * Secrets the program lists get a Secret with the kubeconfig of each member.
 */
export async function startFleet(project: Project, members: number): Promise<ControlPlaneFleet> {
  const fleet = await createControlPlaneFleet({ members, backend: 'embedded', crds: project.definitions });
  try {
    await fillHub(fleet, project);
    return fleet;
  } catch (error) {
    await fleet.stop();
    throw error;
  }
}

async function fillHub({ hub, members }: ControlPlaneFleet, { namespace, permissions }: Project): Promise<void> {
  const local = permissions.filter((permission) => permission.in === 'local');
  const named = local.flatMap(({ namespaces = [] }) => namespaces).filter((each) => each !== POD_NAMESPACE);
  await using client = createClient(hub.config);
  for (const name of new Set([namespace, ...named])) {
    try {
      await client.create(Namespace, { metadata: { name } });
    } catch (error) {
      // Such as `default`.
      if (!isAlreadyExists(error)) throw error;
    }
  }
  const inventories = local
    .filter(({ group, resource, verbs }) => group === '' && resource === 'secrets' && verbs.includes('list'))
    .flatMap(({ namespaces = [] }) => namespaces);
  for (const inventory of new Set(inventories)) {
    for (const { name, kubeconfig } of members) {
      await client.create(Secret, {
        metadata: { namespace: inventory === POD_NAMESPACE ? namespace : inventory, name, labels: { [LABEL]: 'true' } },
        data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
      });
    }
  }
}
