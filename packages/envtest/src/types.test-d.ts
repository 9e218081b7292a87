/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import { EmbeddedApiServer, startControlPlane, startFleet } from './index.ts';

export async function controlPlanes(): Promise<void> {
  await using fleet = await startFleet({ members: 3 });
  const names: string[] = fleet.members.map(({ name }) => name);
  await using controlPlane = await startControlPlane({ backend: 'embedded', name: names[0] });
  await controlPlane.revokeToken(await controlPlane.issueToken());

  // @ts-expect-error -- how many members there are has to be said
  await startFleet({});
  // @ts-expect-error -- an unknown option is refused
  await startControlPlane({ clusterName: 'a' });
  // @ts-expect-error -- there is no such backend
  await startControlPlane({ backend: 'minikube' });
  // @ts-expect-error -- a server is started, not constructed
  new EmbeddedApiServer({});
}
