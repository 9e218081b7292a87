import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { DeclaredPermission, Role } from '@mcr/core';
import { createManager, InMemoryProvider } from '@mcr/core';
import { parse } from 'yaml';
import { Cart } from '../admission/cart.fixture.ts';
import { webhookFor } from '../admission/kind-webhook.ts';
import { conversion } from '../conversion/conversion.ts';
import { createWebhookServer } from '../server/webhook-server.ts';
import { installWebhooks } from './install-webhooks.ts';

type Rule = NonNullable<Role['rules']>[number];

/** Returns the rules of a published manifest, one for each resource. */
async function published(file: string): Promise<Rule[]> {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'manifests', file), 'utf8');
  return ((parse(text) as Role).rules ?? []).flatMap(({ resources = [], ...rule }) =>
    resources.map((resource) => ({ ...rule, resources: [resource] })),
  );
}

function ruleOf({ kind, names, verbs }: DeclaredPermission): Rule {
  const [group = ''] = kind.apiVersion.includes('/') ? kind.apiVersion.split('/') : [];
  return {
    apiGroups: [group],
    resources: [kind.plural ?? ''],
    ...(names && { resourceNames: [...names] }),
    verbs: [...verbs],
  };
}

describe('the permissions of webhooks', () => {
  it('WB-3: are declared as in the published manifests', async () => {
    const manager = await createManager({
      config: { server: 'https://hub.example.com' },
      provider: new InMemoryProvider(),
      metrics: { bindAddress: '0' },
    });
    const secret = { namespace: 'fleet', name: 'webhook-certificate' };
    const server = await createWebhookServer(manager, { certificate: { secret, hosts: ['hooks.example.com'] } });
    server.register(webhookFor(Cart).validate({ create: () => undefined }));
    server.register(conversion({ kind: Cart, convert: (object) => object }));
    await installWebhooks(manager, server, {
      name: 'carts.shop.example.com',
      url: 'https://hooks.example.com',
      failurePolicy: 'Fail',
    });
    const declared = manager.permissions.list();
    const rulesIn = (origin: 'local' | 'members') => declared.filter((each) => each.in === origin).map(ruleOf);
    expect(rulesIn('local')).toEqual(await published('rbac-certificate.yaml'));
    expect(rulesIn('members')).toEqual(await published('rbac-member.yaml'));
    expect(declared.map(({ namespaces }) => namespaces?.join()).filter(Boolean)).toEqual(['fleet', 'fleet']);
  });
});
