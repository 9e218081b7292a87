import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { objectOf } from './arbitrary-object.fixture.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { messages } from './messages.ts';

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
      fc.property(objectOf(message, { zeros: false }), (json: unknown) => {
        const bytes = encodeMessage(message, json);
        const decoded = decodeMessage(message, bytes);
        expect(encodeMessage(message, decoded).equals(bytes)).toBe(true);
        expect(decoded).toMatchObject(json as object);
      }),
      { numRuns: 8 },
    );
  });
});
