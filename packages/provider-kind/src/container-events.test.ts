import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@mcr/core';
import { eventually, VirtualClock } from '@mcr/core/testing';
import { createKindStandIn, type KindStandIn } from '@mcr/envtest';
import { listenToContainers, tellsOfLife } from './container-events.ts';

describe('events of a container engine', () => {
  let kind: KindStandIn;
  let engine: string;
  let end: AbortController;
  let events: number;
  const onEvent = () => events++;

  beforeAll(async () => {
    kind = await createKindStandIn();
    engine = `${kind.bin}/docker`;
  });
  afterAll(async () => kind.stop());
  beforeEach(() => {
    end = new AbortController();
    events = 0;
  });
  afterEach(() => end.abort());

  /** Resolves when the provider listens to the engine. */
  const heard = () =>
    eventually(async () => {
      await kind.emit('start', 'eu');
      return events > 0;
    });

  it('KD-3: are received until the signal aborts', async () => {
    const listening = listenToContainers({ engine, clock: systemClock, onEvent }, end.signal);
    await heard();
    end.abort();
    await listening;
  });

  it.each([
    ['{"status":"start","Type":"container","Action":"start"}', true],
    ['{"status":"destroy","Type":"container","Action":"destroy"}', true],
    ['{"Name":"eu-control-plane","Status":"died","Type":"container"}', true],
    [
      '{"status":"exec_create: cat /etc/kubernetes/admin.conf","Action":"exec_create: cat /etc/kubernetes/admin.conf"}',
      false,
    ],
    ['{"status":"exec_die","Type":"container","Action":"exec_die"}', false],
    ['{"Name":"eu-control-plane","Status":"exec","Type":"container"}', false],
    ['{"status":"health_status: healthy","Action":"health_status: healthy"}', false],
    ['no JSON', false],
  ])('KD-3: is that containers come and go, and not that commands are run in them, as Kind does: %s', (line, wakes) => {
    expect(tellsOfLife(line)).toBe(wakes);
  });

  it('KD-3: the listener reconnects with backoff after the engine has stopped', async () => {
    const clock = new VirtualClock();
    const recover = await kind.failEngine();
    const listening = listenToContainers({ engine, clock, onEvent }, end.signal);
    for (let attempt = 0; attempt < 2; attempt++) {
      await eventually(() => clock.pendingTimers === 1);
      await clock.advance(2_000);
    }
    await eventually(() => clock.pendingTimers === 1);
    await recover();
    await clock.advance(4_000);
    await heard();
    end.abort();
    await listening;
    expect(clock.pendingTimers).toBe(0);
  });

  it('KD-3: are optional', async () => {
    await listenToContainers({ engine: 'no-such-engine', clock: systemClock, onEvent }, end.signal);
    expect(events).toBe(0);
  });
});
