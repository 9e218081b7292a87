import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newObject } from '@mcr/kinds';
import { admit } from '@mcr/webhook';
import { Greeting } from './kind.ts';
import { greetingWebhook } from './webhook.ts';

const objectOf = (recipient: string) =>
  newObject(Greeting, { metadata: { namespace: 'default', name: 'first' }, spec: { recipient } });

it('refuses another recipient', async () => {
  const oldObject = objectOf('world');
  assert.equal((await admit(greetingWebhook, oldObject)).allowed, true);
  assert.equal((await admit(greetingWebhook, objectOf('moon'), { operation: 'UPDATE', oldObject })).allowed, false);
});
