import { describe, expect, it } from '@jest/globals';
import { RequestLimit } from './request-limit.ts';

describe('the limits of a webhook server', () => {
  it('WH-6: refuses the request that has arrived for the longest time when the bodies are too large', () => {
    const limit = new RequestLimit({ perWebhook: 2, bytes: 100 });
    const refused: string[] = [];
    const take = (name: string) => limit.take(() => void refused.push(name));
    const slow = take('slow');
    slow.received(60);
    const quick = take('quick');
    quick.received(60);
    expect(refused).toEqual(['slow']);
    quick.process('/a');
    const last = take('last');
    expect(() => last.received(60)).toThrow('the bodies of concurrent requests are too many or too large');
    quick.release();
    quick.release();
    take('next').received(100);
  });

  it('WH-6: accepts a single body that is larger than the limit of all', () => {
    const limit = new RequestLimit({ perWebhook: 1, bytes: 100 });
    const slot = limit.take(() => undefined);
    slot.received(150);
    slot.process('/a');
  });

  it('WH-6: counts a request of a webhook when its body is complete', () => {
    const limit = new RequestLimit({ perWebhook: 1, bytes: 100 });
    const refused: number[] = [];
    const arriving = Array.from({ length: 1_001 }, (_, index) => limit.take(() => void refused.push(index)));
    expect(refused).toEqual([0]);
    const [, second, third] = arriving;
    second?.process('/a');
    expect(() => third?.process('/a')).toThrow('too many concurrent requests');
    second?.release();
    third?.process('/a');
  });

  it('WH-6: counts a response until it is sent, and refuses the one that has been sent for the longest time', () => {
    const limit = new RequestLimit({ perWebhook: 1, bytes: 100 });
    const refused: string[] = [];
    const respond = (name: string, bytes: number) => {
      const slot = limit.take(() => void refused.push(`${name} before its response`));
      slot.received(10);
      slot.process('/a');
      slot.respond(bytes, () => void refused.push(name));
      return slot;
    };
    const first = respond('first', 60);
    const second = respond('second', 40);
    expect(refused).toEqual([]);
    limit.take(() => undefined).received(1);
    expect(refused).toEqual(['first']);
    first.release();
    second.release();
    const busy = limit.take(() => undefined);
    busy.received(60);
    busy.process('/b');
    expect(() => respond('third', 50)).toThrow('too many or too large');
  });
});
