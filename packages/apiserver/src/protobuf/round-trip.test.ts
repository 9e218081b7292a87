import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import type { Field, Message, ScalarType } from './messages.ts';
import { messages } from './messages.ts';

/** Depth from which arbitrary messages are empty. Schemas contain schemas. */
const DEPTH = 5;

const text = fc.oneof(fc.string({ minLength: 1, maxLength: 6 }), fc.constantFrom('\u{1f600}', 'é'));

/** Values that are not zero: JSON of Go omits many of those. */
function scalar(type: ScalarType): fc.Arbitrary<unknown> {
  const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
  switch (type) {
    case 's':
      return text;
    case 'y':
      return fc.uint8Array({ minLength: 1, maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'b':
      return fc.constant(true);
    case 'i':
      return fc.integer().filter((value) => value !== 0);
    case 'l':
      return fc.maxSafeInteger().filter((value) => value !== 0);
    case 'd':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value !== 0);
    case 'Q':
      return fc.constantFrom('0', '100m', '2Gi', '1500');
    case 'I':
      return fc.oneof(fc.integer(), text);
    case 'R':
      return fc.constantFrom({ a: [1, { b: null }] }, ['x'], 'text', 5, false);
    case 'T':
      return seconds.map((value) => new Date(value * 1000).toISOString().replace('.000Z', 'Z'));
    case 'M':
      return seconds.map((value) => new Date(value * 1000).toISOString().replace('.000Z', '.000123Z'));
  }
}

function valueOf(type: Field['type'], depth: number): fc.Arbitrary<unknown> {
  return typeof type === 'string' ? scalar(type) : objectOf(type, depth);
}

/** JSON of a message, with some of its fields. */
function objectOf(message: Message, depth: number): fc.Arbitrary<unknown> {
  const [first] = message.fields;
  if (message.form === 'list' && first) return fc.array(valueOf(first.type, depth), { minLength: 1, maxLength: 2 });
  if (message.form === 'alternatives') {
    return fc.oneof(
      ...message.fields.map(({ many, type }) =>
        many === 'list' ? fc.array(valueOf(type, depth + 1), { minLength: 1, maxLength: 2 }) : valueOf(type, depth + 1),
      ),
    );
  }
  if (depth >= DEPTH) return fc.constant({});
  const parts = message.fields.map((field) => fieldOf(field, depth + 1));
  return fc.tuple(...parts).map((values) => Object.assign({}, ...values) as object);
}

function fieldOf({ name, many, type, inline }: Field, depth: number): fc.Arbitrary<object> {
  if (inline) return valueOf(type, depth) as fc.Arbitrary<object>;
  const value = valueOf(type, depth);
  const json =
    many === 'list'
      ? fc.array(value, { minLength: 1, maxLength: 2 })
      : many === 'map'
        ? fc.array(fc.tuple(text, value), { minLength: 1, maxLength: 2 }).map((entries) => Object.fromEntries(entries))
        : value;
  return fc.option(json, { freq: 2, nil: undefined }).map((chosen) => (chosen === undefined ? {} : { [name]: chosen }));
}

describe('protobuf messages of every kind', () => {
  const kinds = [...messages.kinds()].map(
    ({ apiVersion, message }) => [`${apiVersion} ${message.name}`, message] as const,
  );

  it('K-23: the table has the kinds of every group that Kubernetes 1.35 serves by default', () => {
    const names = kinds.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['v1 Pod', 'v1 PodList', 'apps/v1 Deployment', 'batch/v1 CronJob', 'autoscaling/v1 Scale'],
        ...['autoscaling/v2 HorizontalPodAutoscaler', 'policy/v1 Eviction', 'networking.k8s.io/v1 Ingress'],
        ...['discovery.k8s.io/v1 EndpointSlice', 'rbac.authorization.k8s.io/v1 Role', 'coordination.k8s.io/v1 Lease'],
        ...['storage.k8s.io/v1 StorageClass', 'scheduling.k8s.io/v1 PriorityClass', 'events.k8s.io/v1 Event'],
        'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
        'certificates.k8s.io/v1 CertificateSigningRequest',
        ...['flowcontrol.apiserver.k8s.io/v1 FlowSchema', 'node.k8s.io/v1 RuntimeClass'],
        'apiextensions.k8s.io/v1 CustomResourceDefinition',
        ...['authentication.k8s.io/v1 TokenRequest', 'authorization.k8s.io/v1 SubjectAccessReview'],
        ...['resource.k8s.io/v1 ResourceClaim', 'apiregistration.k8s.io/v1 APIService'],
      ]),
    );
    expect(messages.ofKind('apps/v1', 'DeleteOptions')?.name).toBe('DeleteOptions');
    expect(messages.ofKind('v1', 'Status')?.name).toBe('Status');
    expect(messages.ofKind('v1', 'Widget')).toBeUndefined();
    expect(messages.ofKind('example.com/v1', 'Widget')).toBeUndefined();
  });

  it.each(kinds)('K-23: %s survives a round trip', (_, message) => {
    fc.assert(
      fc.property(objectOf(message, 0), (json: unknown) => {
        const bytes = encodeMessage(message, json);
        const decoded = decodeMessage(message, bytes);
        expect(encodeMessage(message, decoded).equals(bytes)).toBe(true);
        expect(decoded).toMatchObject(json as object);
      }),
      { numRuns: 8 },
    );
  });
});
