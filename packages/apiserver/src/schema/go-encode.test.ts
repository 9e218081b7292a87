import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadCodec } from '../protobuf/codec.ts';
import { withGoStatus } from './go-encode.ts';

function encoded(apiVersion: string, kind: string, status?: object): unknown {
  const object = { apiVersion, kind, metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' } };
  return withGoStatus({ ...object, ...(status && { status }) })['status'];
}

describe('the status of a built-in kind', () => {
  beforeAll(loadCodec);

  it('K-28: has the fields that the Go types always write', () => {
    expect(encoded('v1', 'Pod', { conditions: [{ type: 'Ready' }], containerStatuses: [{ name: 'main' }] })).toEqual({
      conditions: [{ type: 'Ready', status: '', lastProbeTime: null, lastTransitionTime: null }],
      containerStatuses: [
        { name: 'main', state: {}, lastState: {}, ready: false, restartCount: 0, image: '', imageID: '' },
      ],
    });
    expect(encoded('apps/v1', 'StatefulSet')).toEqual({ replicas: 0, availableReplicas: 0 });
    expect(encoded('v1', 'Service')).toEqual({ loadBalancer: {} });
    expect(encoded('autoscaling/v2', 'HorizontalPodAutoscaler')).toEqual({ currentMetrics: null, desiredReplicas: 0 });
  });

  it('K-28: has no zero values that the Go types omit', () => {
    const zero = { active: 0, succeeded: 0, ready: 0, completedIndexes: '', uncountedTerminatedPods: {} };
    expect(encoded('batch/v1', 'Job', zero)).toEqual({ ready: 0, uncountedTerminatedPods: {} });
    expect(encoded('v1', 'Pod', { phase: '', message: '', observedGeneration: 0 })).toEqual({});
  });

  it('K-28: has the default phase', () => {
    expect(encoded('v1', 'PersistentVolumeClaim', {})).toEqual({ phase: 'Pending' });
    expect(encoded('v1', 'Namespace', {})).toEqual({ phase: 'Active' });
  });
});
