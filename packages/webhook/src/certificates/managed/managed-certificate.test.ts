import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import { createClient, Role, RoleBinding, Secret, silentLogger, ValidatingWebhookConfiguration } from '@mcr/core';
import { eventually, VirtualClock } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { parse } from 'yaml';
import { Cart, cart } from '../../admission/cart.fixture.ts';
import { webhookFor } from '../../admission/kind-webhook.ts';
import { installWebhooks } from '../../install/install-webhooks.ts';
import { review, RunningWebhooks } from '../../server/server.fixture.ts';
import { newSecret } from './certificate-secret.ts';
import { issue } from './issue.ts';
import { ManagedCertificate } from './managed-certificate.ts';
import { firstState } from './rotation.ts';

const MINUTE = 60_000;
const policy = { hosts: ['127.0.0.1'], lifetime: 24 * MINUTE, overlap: 2 * MINUTE };
/** Real time between two reads of a Secret, whose period passes on a virtual clock. */
const SLOWLY = { interval: 50 };
const VALIDATE = '/validate-shop-example-com-v1-cart';
const backends =
  process.env['KUBEBUILDER_ASSETS'] === undefined ? (['embedded'] as const) : (['embedded', 'binaries'] as const);

describe.each(backends)('managed certificates on %s', (backend) => {
  let controlPlane: ControlPlane;
  let client: ApiClient;
  let count = 0;
  let name: string;

  beforeAll(async () => {
    controlPlane = await createControlPlane({ backend });
    client = createClient(controlPlane.config);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await controlPlane.stop();
  });
  beforeEach(() => {
    name = `webhooks-${++count}`;
  });

  /** Starts a replica. */
  function start(clock: VirtualClock, hosts = policy.hosts): Promise<RunningWebhooks> {
    return RunningWebhooks.start({
      config: controlPlane.config,
      clock,
      certificate: { ...policy, secret: { namespace: 'default', name }, hosts },
      setUp: async (webhooks, manager) => {
        webhooks.register(webhookFor(Cart).validate({ create: () => undefined }));
        const options = {
          name: `${name}.example.com`,
          url: 'https://127.0.0.1:9443',
          clusters: { local: true, provider: false },
        } as const;
        await installWebhooks(manager, webhooks, options);
      },
    });
  }

  const secret = () => client.get(Secret, { namespace: 'default', name });
  const data = async (key: string) => {
    const text = (await secret()).data?.[key];
    return text === undefined ? undefined : Buffer.from(text, 'base64').toString();
  };
  /** The CA bundle that the cluster trusts. */
  const trusted = async () => {
    const found = await client.find(ValidatingWebhookConfiguration, { name: `${name}.example.com` });
    const bundle = found?.webhooks?.[0]?.clientConfig.caBundle ?? '';
    return Buffer.from(bundle, 'base64').toString().trim();
  };
  /** Shakes hands, and returns the fingerprint of the certificate that a replica serves. */
  const served = async ({ url }: RunningWebhooks, ca: string): Promise<string> => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', ca });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };

  it('WH-3: shares the certificate among replicas, and rotates it while clusters trust both CAs', async () => {
    const clock = new VirtualClock(Date.now());
    // The certificate of a replica that started 15 minutes ago. It is rotated after 16.
    const old = await firstState({ issue, now: Date.now() - 15 * MINUTE, ...policy });
    await client.create(Secret, newSecret({ namespace: 'default', name }, old));
    await using first = await start(clock);
    await using second = await start(clock);
    const replicas = [first, second];
    await eventually(async () => expect(await trusted()).toBe(await data('ca.crt')));
    const before = await trusted();
    const certificate = await served(first, before);
    expect(await served(second, before)).toBe(certificate);

    // A connection that stays open.
    const session = connectHttp2(first.url, { ca: before });
    await once(session, 'remoteSettings');
    /** Lets time pass for the connection, which is in use. */
    const pass = async (time: number) => {
      for (let rest = time; rest > 0; rest -= 20_000) {
        const stream = session.request({ ':method': 'POST', ':path': VALIDATE, 'content-type': 'application/json' });
        stream.end(JSON.stringify(review({ object: cart({}) })));
        expect((await buffer(stream)).toString()).toContain('"allowed":true');
        await clock.advance(Math.min(rest, 20_000));
      }
    };

    await pass(MINUTE);
    await eventually(async () => {
      await pass(30_000);
      expect(await data('serve-after')).toBeDefined();
    }, SLOWLY);
    const both = `${before}\n${await data('next-ca.crt')}`;
    // Both replicas install here, and the other one may not have read the Secret yet.
    await eventually(async () => {
      await pass(10_000);
      expect(await trusted()).toBe(both);
    }, SLOWLY);
    for (const replica of replicas) expect(await served(replica, before)).toBe(certificate);

    await pass(2 * MINUTE);
    await eventually(async () => {
      // Less than the overlap of the CAs, in which the replicas read the Secret in real time.
      await pass(5_000);
      for (const replica of replicas) expect(await served(replica, both)).not.toBe(certificate);
    }, SLOWLY);
    expect(await data('drop-after')).toBeDefined();
    // Clusters still trust both CAs, because a replica may be late.
    await eventually(async () => expect((await trusted()).match(/BEGIN CERTIFICATE/gu)).toHaveLength(2));

    await pass(1_000);
    session.close();

    await clock.advance(2 * MINUTE);
    await eventually(async () => {
      await clock.advance(30_000);
      expect((await trusted()).match(/BEGIN CERTIFICATE/gu)).toHaveLength(1);
    }, SLOWLY);
    const after = await trusted();
    expect(after).not.toBe(before);
    const [next] = await Promise.all(replicas.map((replica) => served(replica, after)));
    expect(next).not.toBe(certificate);
    await expect(served(first, before)).rejects.toThrow(/verify|self-signed|issuer/u);
  });

  it('WH-3: lets one of two replicas that start at the same time create the certificate', async () => {
    const clock = new VirtualClock(Date.now());
    const [first, second] = await Promise.all([start(clock), start(clock)]);
    await using _first = first;
    await using _second = second;
    const ca = (await data('ca.crt')) ?? '';
    expect(await served(first, ca)).toBe(await served(second, ca));
    expect([...first.lines, ...second.lines].filter(({ message }) => message.startsWith('created'))).toHaveLength(1);
  });

  it('WH-3: replaces a Secret that was deleted, and keeps serving while it is damaged', async () => {
    const clock = new VirtualClock(Date.now());
    await using running = await start(clock);
    const before = (await data('ca.crt')) ?? '';
    await client.patch(Secret, { namespace: 'default', name }, { data: { 'tls.key': 'AAAA' } }, 'merge');
    await eventually(async () => {
      await clock.advance(30_000);
      // Under load, a request may fail before.
      const line = running.logged('failed to refresh the webhook certificate, serving the previous one').at(-1);
      expect(String(line?.fields?.['error'])).toContain('data["tls.key"]: expected a private key in PEM');
    }, SLOWLY);
    await served(running, before);
    expect(await data('tls.key')).not.toContain('BEGIN');

    await client.delete(Secret, { namespace: 'default', name });
    await eventually(async () => {
      await clock.advance(30_000);
      await served(running, (await data('ca.crt')) ?? '');
    }, SLOWLY);
    expect(await data('ca.crt')).not.toBe(before);
    await eventually(async () => expect(await trusted()).toBe(await data('ca.crt')));
  });

  it('WH-3: refuses a Secret of another type, and leaves it unchanged', async () => {
    const draft = { metadata: { namespace: 'default', name }, type: 'Opaque', data: {} };
    const before = await client.create(Secret, draft);
    const refused = start(new VirtualClock(Date.now()));
    await expect(refused).rejects.toThrow(`secret default/${name}: type: expected mcr.dev/webhook-certificate`);
    expect(await secret()).toEqual(before);
  });

  it('WH-3: says that the namespace of the Secret does not exist', async () => {
    const secret = { namespace: 'missing', name };
    const refused = RunningWebhooks.start({ config: controlPlane.config, certificate: { ...policy, secret } });
    await expect(refused).rejects.toThrow(
      'webhooks cannot be served over TLS: certificate.secret: namespace missing not found: create it',
    );
  });

  it('WH-3: needs only the permissions of the manifest', async () => {
    name = 'webhook-certificate';
    const file = new URL('../../../manifests/rbac-certificate.yaml', import.meta.url);
    const role = parse(await readFile(file, 'utf8')) as Role;
    const namespace = 'default';
    await client.create(Role, { ...role, metadata: { ...role.metadata, namespace } });
    const apiGroup = 'rbac.authorization.k8s.io';
    await client.create(RoleBinding, {
      metadata: { name, namespace },
      roleRef: { apiGroup, kind: 'Role', name: role.metadata.name },
      subjects: [{ apiGroup, kind: 'User', name: 'server' }],
    });
    const server = createClient({ ...controlPlane.config, impersonate: { user: 'server' } });
    const options = { ...policy, secret: { namespace, name } };
    const certificate = (clock: VirtualClock) =>
      new ManagedCertificate({ options, client: server, reader: server, clock, logger: silentLogger });
    const pair = await eventually(() => certificate(new VirtualClock(Date.now())).read(AbortSignal.timeout(60_000)));
    const later = new VirtualClock(Date.now() + 17 * MINUTE);
    expect(await certificate(later).read(AbortSignal.timeout(60_000))).toEqual(pair);
    expect(await data('serve-after')).toBeDefined();
    await server[Symbol.asyncDispose]();
  });

  it('WH-3: says nothing about the certificate when its manager stops first', async () => {
    const messages: string[] = [];
    const closing = createClient(controlPlane.config);
    await closing.close();
    const certificate = new ManagedCertificate({
      options: { ...policy, secret: { namespace: 'default', name } },
      client: closing,
      reader: closing,
      clock: new VirtualClock(),
      logger: { ...silentLogger, warn: (message) => void messages.push(message) },
    });
    const end = new AbortController();
    const read = certificate.read(end.signal);
    // The read has failed before this one is answered.
    await client.find(Secret, { namespace: 'default', name });
    end.abort();
    await expect(read).rejects.toMatchObject({ name: 'AbortError' });
    expect(messages).toEqual([]);
  });

  it('WH-3: refuses wrong options', async () => {
    const clock = new VirtualClock(Date.now());
    await expect(start(clock, [])).rejects.toThrow('certificate');
    await expect(start(clock, ['https://a'])).rejects.toThrow('expected a DNS name in lower case, or an IP address');
    const certificate = { secret: { namespace: 'default', name }, hosts: ['a'] };
    await expect(RunningWebhooks.start({ certificate })).rejects.toThrow('the manager has no local cluster');
  });
});
