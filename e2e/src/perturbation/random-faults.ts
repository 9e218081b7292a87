import type { FaultRule, Random } from '@mcr/envtest';

type RequestRule = Extract<FaultRule, { readonly on: 'requests' }>;
type Fault = RequestRule['fault'];

const REFUSALS = [401, 403, 409, 410, 429, 500, 503, 504];

/** Returns a random fault at one of the boundaries between a controller and an API server. */
export function nextFault(random: Random): FaultRule {
  const chance = random.next();
  if (chance < 0.25)
    return { on: 'requests', match: { watch: false, method: 'GET' }, fault: ofLists(random), when: when(random) };
  if (chance < 0.55) return { on: 'requests', match: { watch: true }, fault: ofWatches(random), when: when(random) };
  if (chance < 0.85)
    return {
      on: 'requests',
      match: { path: /configmaps/, method: method(random) },
      fault: ofWrites(random),
      when: when(random),
    };
  return ofConnections(random);
}

function ofLists(random: Random): Fault {
  const after = random.below(2_000);
  return choose<Fault>(random, [
    { type: 'stale', ago: 1 + random.below(3) },
    { type: 'answer', status: choose(random, REFUSALS) },
    { type: 'drop', part: 'response' },
    { type: 'reset', part: 'response', after },
    { type: 'truncate', after },
    { type: 'corrupt', after },
    { type: 'delay', duration: random.below(60) },
  ]);
}

/** Faults that delay intermediate states or hide them, because a watch that reconnects skips them. */
function ofWatches(random: Random): Fault {
  const after = random.below(2_000);
  return choose<Fault>(random, [
    { type: 'answer', status: choose(random, [...REFUSALS, 422]) },
    { type: 'error-event', status: choose(random, [410, 410, 500]) },
    { type: 'repeat' },
    { type: 'delay', duration: random.below(60) },
    { type: 'drop', part: 'response' },
    { type: 'reset', part: 'response', after },
    { type: 'truncate', after },
    { type: 'corrupt', after },
    { type: 'split', size: 1 + random.below(20) },
    { type: 'swallow', events: 'bookmarks' },
    { type: 'swallow', events: 'initial-events-end' },
  ]);
}

/** Faults of writes. The worst is a write that succeeds without a response. */
function ofWrites(random: Random): Fault {
  const part = choose(random, ['request', 'response'] as const);
  return choose<Fault>(random, [
    { type: 'reset', part },
    { type: 'drop', part },
    { type: 'repeat' },
    { type: 'delay', duration: random.below(60) },
    { type: 'answer', status: choose(random, REFUSALS) },
    { type: 'answer', status: 429, retryAfter: 1 },
  ]);
}

function ofConnections(random: Random): FaultRule {
  const after = random.below(5_000);
  return {
    on: 'connections',
    fault: choose<Extract<FaultRule, { readonly on: 'connections' }>['fault']>(random, [
      { type: 'reset', after },
      { type: 'truncate', after },
      { type: 'corrupt', after },
      { type: 'half-open', after },
      { type: 'refuse' },
      { type: 'refuse-tls' },
      { type: 'stall' },
      { type: 'split', size: 1 + random.below(50) },
      { type: 'throttle', bytesPerSecond: 10_000 },
    ]),
    when: when(random),
  };
}

function when(random: Random): NonNullable<FaultRule['when']> {
  return choose<NonNullable<FaultRule['when']>>(random, [
    {},
    { times: 1 },
    { skip: random.below(3), times: 1 + random.below(3) },
    { every: 2 },
    { probability: 0.3 },
  ]);
}

function method(random: Random): 'POST' | 'PUT' | 'DELETE' {
  return choose(random, ['POST', 'PUT', 'DELETE'] as const);
}

export function choose<T>(random: Random, choices: readonly T[]): T {
  const chosen = random.pick(choices);
  if (chosen === undefined) throw new Error('no choices');
  return chosen;
}
