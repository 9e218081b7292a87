/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { z } from 'zod';
import type { ruleSchema } from './fault-proxy/fault.ts';
import { type EmbeddedApiServer, type FaultRule, createControlPlane, createControlPlaneFleet } from './index.ts';

export async function controlPlanes(): Promise<void> {
  await using fleet = await createControlPlaneFleet({ members: 3 });
  const names: string[] = fleet.members.map(({ name }) => name);
  await using controlPlane = await createControlPlane({ backend: 'embedded', name: names[0] });
  await controlPlane.revokeToken(await controlPlane.issueToken());

  // @ts-expect-error -- the number of members is required
  await createControlPlaneFleet({});
  // @ts-expect-error -- an unknown option is refused
  await createControlPlane({ clusterName: 'a' });
  // @ts-expect-error -- the backend does not exist
  await createControlPlane({ backend: 'minikube' });
  // @ts-expect-error -- a server is started, not constructed
  new EmbeddedApiServer({});
}

/** The schema accepts every rule that the public type allows. */
export const accepted = (rule: FaultRule): z.input<typeof ruleSchema> => rule;
