import { type ApiClient, createClient, isAlreadyExists, Namespace, Secret } from '@mcr/core';
import { type ControlPlane, type ControlPlaneFleet, createControlPlaneFleet } from '@mcr/envtest';
import { POD_NAMESPACE, type Project } from '../project/project.ts';
import { hubNamespaces } from './hub-namespaces.ts';
import { type Say, secondsSince } from './say.ts';

/** Label of the Secrets that the kubeconfig provider reads by default. */
const LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';

interface FleetOptions {
  /** Number of members. */
  readonly members: number;
  /** Where the webhooks of the program listen, as `host:port`. Default: it has none. */
  readonly webhooks: string | undefined;
  readonly say: Say;
  readonly signal: AbortSignal;
}

/**
 * Starts a hub and members with the kinds of a project. The hub has the namespaces that the project names. Namespaces whose
 * Secrets the program lists get a Secret with the kubeconfig of each member.
 *
 * @throws the reason of the signal after it. No process is left then.
 */
export async function startFleet(
  project: Project,
  { members, webhooks, say, signal }: FleetOptions,
): Promise<ControlPlaneFleet> {
  signal.throwIfAborted();
  const since = performance.now();
  const name = members === 0 ? 'a hub' : `a hub and ${members} ${members === 1 ? 'member' : 'members'}`;
  say.step(`starting ${name}`);
  const fleet = await createControlPlaneFleet({
    members,
    backend: 'embedded',
    crds: project.definitions,
    ...(webhooks !== undefined && {
      // The Service that `mcr generate` writes.
      services: { [`${project.namespace}/${project.name}-webhook`]: webhooks },
    }),
  });
  try {
    signal.throwIfAborted();
    await fillHub(fleet, project, signal);
    say.step(`${name} ${members === 0 ? 'runs' : 'run'} on this machine (${secondsSince(since)})`);
    return fleet;
  } catch (error) {
    await fleet.stop();
    throw error;
  }
}

async function fillHub({ hub, members }: ControlPlaneFleet, project: Project, signal: AbortSignal): Promise<void> {
  await using client = createClient(hub.config);
  await Promise.all(hubNamespaces(project).map((name) => createNamespace(client, name, signal)));
  const secrets = inventoriesOf(project).flatMap((inventory) => members.map((member) => secretOf(member, inventory)));
  await Promise.all(secrets.map((secret) => client.create(Secret, secret, { signal })));
}

/** Returns the namespaces in which the program finds kubeconfigs in Secrets. */
function inventoriesOf({ namespace, permissions }: Project): string[] {
  const listed = permissions
    .filter(({ group, resource, verbs }) => group === '' && resource === 'secrets' && verbs.includes('list'))
    .filter((permission) => permission.in === 'local')
    .flatMap(({ namespaces = [] }) => namespaces);
  return [...new Set(listed.map((each) => (each === POD_NAMESPACE ? namespace : each)))];
}

async function createNamespace(client: ApiClient, name: string, signal: AbortSignal): Promise<void> {
  try {
    await client.create(Namespace, { metadata: { name } }, { signal });
  } catch (error) {
    // Such as `default`.
    if (!isAlreadyExists(error)) throw error;
  }
}

function secretOf({ name, kubeconfig }: ControlPlane, namespace: string) {
  return {
    metadata: { namespace, name, labels: { [LABEL]: 'true' } },
    data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
  };
}
