import type { Session } from '../session.ts';

const COLLECTION = '/apis/apps/v1/namespaces//deployments';

/** Sends requests whose paths have an empty namespace, or slashes at the end. */
export async function emptyNamespaces(session: Session): Promise<void> {
  for (const path of [COLLECTION, `${COLLECTION}/x`]) {
    await session.get(path);
    await session.patch('merge', path, {});
  }
  await session.delete(`${COLLECTION}/x`);
  await session.get('/apis/apps/v1/namespaces/judge/deployments//');
  await session.get('/apis/apps/v1/namespaces/judge//deployments');
  await session.get('/apis/apps/v1//deployments');
}
