import type { Choices } from '../choices.ts';
import type { Example } from '../examples.ts';
import type { Json, JsonObject, Operation } from '../operation.ts';
import { JSON_TYPE, PATCH_TYPES } from '../operation.ts';
import { named, nameOf } from './objects.ts';
import { accept } from './queries.ts';

/** Returns one operation on a subresource, which the kind may not have. */
export function subresource(choices: Choices, example: Example): Operation {
  const name = nameOf(choices, example);
  const path = `${example.collection}/${name}`;
  const kind = choices.one([
    'status',
    'status',
    'scale',
    'scale',
    'eviction',
    'binding',
    'token',
    'log',
    'approval',
    'x',
  ]);
  const whole = { path: `${path}/${kind}`, writes: path };
  const status: JsonObject = choices.one<JsonObject>([
    { phase: 'Running' },
    { replicas: 2, readyReplicas: 1 },
    { replicas: -1 },
    { conditions: [{ type: 'Ready', status: 'True' }] },
    {
      conditions: [
        { type: 'Ready', status: 'Maybe' },
        { type: 'Ready', status: 'True' },
      ],
    },
    { observedGeneration: 3, active: 1 },
    { unknown: 1 },
    {},
  ]);
  if (kind === 'eviction' || kind === 'binding' || kind === 'token') {
    const bodies: Readonly<Record<string, JsonObject>> = {
      eviction: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
      binding: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name },
        target: { kind: 'Node', name: choices.one(['n1', '']) },
      },
      token: { spec: { expirationSeconds: choices.one([600, 5, 3600]), audiences: choices.one<Json>([[], ['x']]) } },
    };
    return { ...whole, method: 'POST', headers: JSON_TYPE, body: bodies[kind] as JsonObject };
  }
  const scale: JsonObject = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name },
    spec: { replicas: choices.one<Json>([0, 1, 3, -1, 'x']) },
  };
  const content: JsonObject = kind === 'scale' ? scale : named({ ...example.objects[0], status }, name);
  return choices.one<() => Operation>([
    () => ({ ...whole, method: 'GET', headers: accept(choices, 0.2) }),
    () => ({ ...whole, method: 'PUT', headers: JSON_TYPE, body: content }),
    () => ({
      ...whole,
      method: 'PATCH',
      headers: { 'content-type': PATCH_TYPES[choices.one(['merge', 'strategic'] as const)] },
      body: kind === 'scale' ? { spec: scale['spec'] } : { status },
    }),
    () => ({
      ...whole,
      method: 'PATCH',
      path: `${whole.path}?fieldManager=${choices.one(['one', 'two'])}${choices.one(['', '&force=true'])}`,
      headers: { 'content-type': PATCH_TYPES.apply },
      body:
        kind === 'scale'
          ? scale
          : { apiVersion: content['apiVersion'], kind: content['kind'], metadata: { name }, status },
    }),
  ])();
}
