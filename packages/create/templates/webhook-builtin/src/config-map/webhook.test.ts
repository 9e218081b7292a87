import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ConfigMap } from '@mcr/core';
import { admit } from '@mcr/webhook';
import { LABEL } from './controller.ts';
import { configMapWebhook } from './webhook.ts';

const objectOf = (value: string) => ({
  apiVersion: ConfigMap.apiVersion,
  kind: ConfigMap.kind,
  metadata: { namespace: 'default', name: 'first', labels: { [LABEL]: value } },
});

it('refuses other values of the label', async () => {
  assert.equal((await admit(configMapWebhook, objectOf('true'))).allowed, true);
  assert.equal((await admit(configMapWebhook, objectOf('yes'))).allowed, false);
});
