import { describe, expect, it } from '@jest/globals';
import { clientRespondingWith } from '../client/respond-with.fixture.ts';
import { ConfigMap, Deployment } from '../kinds/builtin.ts';
import { clientListerWatcher } from './client-lister-watcher.ts';
import { CrdWatch } from './crd-watch.ts';

const { signal } = new AbortController();
const wakers = { crdWatch: new CrdWatch({ client: { watch: () => [] as never } }) };
const status = (code: number, message: string) => ({ status: code, body: { kind: 'Status', code, message } });

describe('a refused list or watch', () => {
  it('names the refused request and the missing permission', async () => {
    const { client } = clientRespondingWith(status(403, 'not you'));
    const server = clientListerWatcher(client, Deployment, { namespace: 'shop' }, wakers);
    await expect(server.list({ signal }).next()).rejects.toMatchObject({
      status: 403,
      message:
        'list of apps/v1 Deployment in namespace shop is refused (403): not you; ' +
        'the account needs the verb list on deployments.apps in namespace shop',
    });
    const events = server.watch({ signal, timeoutSeconds: 300 })[Symbol.asyncIterator]();
    await expect(events.next()).rejects.toMatchObject({
      status: 403,
      message: expect.stringMatching(/^watch of apps.v1 Deployment .* needs the verb watch on deployments.apps in/),
      cause: { message: 'not you' },
    });
  });

  it.each([401, 405])('explains a %d without naming a permission', async (code) => {
    const { client } = clientRespondingWith(status(code, 'no'));
    await expect(clientListerWatcher(client, ConfigMap, {}, wakers).list({ signal }).next()).rejects.toMatchObject({
      status: code,
      message: `list of v1 ConfigMap is refused (${code}): no`,
    });
  });

  it.each([
    [
      'without a Status, as after a CustomResourceDefinition was removed',
      { status: 404, body: '404 page not found\n' },
    ],
    ['with a Status', status(404, 'the server could not find the requested resource')],
  ])('F-22: reports a 404 %s as a kind that is not served', async (_, answer) => {
    const { client } = clientRespondingWith(answer);
    const server = clientListerWatcher(client, Deployment, { namespace: 'shop' }, wakers);
    await expect(server.list({ signal }).next()).rejects.toMatchObject({
      status: 404,
      message:
        'the cluster does not serve kind Deployment of apps/v1 (list returned 404): ' +
        'check whether its CustomResourceDefinition is installed',
      cause: { status: 404 },
    });
  });

  it('does not change other failures', async () => {
    const { client } = clientRespondingWith(status(410, 'too old'));
    await expect(clientListerWatcher(client, ConfigMap, {}, wakers).list({ signal }).next()).rejects.toMatchObject({
      message: 'too old',
    });
  });
});
