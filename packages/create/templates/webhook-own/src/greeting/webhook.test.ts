import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newObject } from '@mcr/kinds';
import { admit } from '@mcr/webhook';
import { Greeting } from './kinds.ts';
import { webhook } from './webhook.ts';

const greetingOf = (recipient: string) =>
  newObject(Greeting, { metadata: { namespace: 'default', name: 'first' }, spec: { recipient } });

it('refuses another recipient', async () => {
  const oldObject = greetingOf('world');
  assert.equal((await admit(webhook, oldObject)).allowed, true);
  assert.equal((await admit(webhook, greetingOf('moon'), { operation: 'UPDATE', oldObject })).allowed, false);
});
