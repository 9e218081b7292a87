import { describe, expect, it } from '@jest/globals';
import { decodeMessage } from '../protobuf/decode.ts';
import { messages } from '../protobuf/messages.ts';
import { goEmpty } from './go-empty.ts';

describe('empty objects', () => {
  it('K-20: are those that an empty message decodes to', () => {
    const kinds = [...messages.kinds()].filter(
      ({ apiVersion, message }) => apiVersion !== 'meta.k8s.io/v1' && !message.name.endsWith('List'),
    );
    expect(kinds.length).toBeGreaterThan(70);
    for (const { apiVersion, message } of kinds) {
      expect([message.name, goEmpty(apiVersion, message.name)]).toEqual([
        message.name,
        decodeMessage(message, Buffer.alloc(0)),
      ]);
    }
    expect(goEmpty('example.com/v1', 'Pod')).toBeUndefined();
  });
});
