import type { CorpusObject } from './objects.ts';

const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';

const devices = {
  requests: [
    {
      name: 'gpu',
      exactly: {
        deviceClassName: 'gpu.example.com',
        selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }],
        allocationMode: 'ExactCount',
        count: 2,
      },
    },
    {
      name: 'any',
      firstAvailable: [
        { name: 'large', deviceClassName: 'large.example.com', allocationMode: 'All' },
        { name: 'small', deviceClassName: 'small.example.com' },
      ],
    },
  ],
  constraints: [{ requests: ['gpu'], matchAttribute: 'example.com/model' }],
  config: [
    { requests: ['any/large'], opaque: { driver: 'gpu.example.com', parameters: { mode: 'fast' } } },
    { opaque: { driver: 'gpu.example.com', parameters: {} } },
  ],
};

/** Valid objects of the group resource.k8s.io, by name. */
export const deviceObjects: Readonly<Record<string, CorpusObject>> = {
  'resourceclaims/0': {
    path: CLAIMS,
    object: { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', spec: { devices } },
  },
  'resourceclaims/1': {
    path: CLAIMS,
    object: { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', spec: {} },
  },
  'resourceclaimtemplates/0': {
    path: '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      spec: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { devices } },
    },
  },
  'deviceclasses/0': {
    path: '/apis/resource.k8s.io/v1/deviceclasses',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      spec: {
        selectors: [
          { cel: { expression: 'cel.bind(gpu, device.attributes["gpu.example.com"], gpu.healthy && gpu.index < 4)' } },
          { cel: { expression: 'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("1Gi"))' } },
        ],
        config: [{ opaque: { driver: 'gpu.example.com', parameters: { mode: 'fast' } } }],
        extendedResourceName: 'example.com/gpu',
      },
    },
  },
  'resourceslices/0': {
    path: '/apis/resource.k8s.io/v1/resourceslices',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      spec: {
        driver: 'gpu.example.com',
        nodeName: 'n',
        pool: { name: 'example.com/pool', generation: 1, resourceSliceCount: 1 },
        devices: [
          {
            name: 'gpu-0',
            attributes: {
              model: { string: 'a' },
              'example.com/version': { version: '1.2.3-rc.1+build' },
              index: { int: 0 },
              healthy: { bool: true },
            },
            capacity: { memory: { value: '1Gi' } },
          },
          { name: 'gpu-1' },
        ],
      },
    },
  },
  'resourceslices/1': {
    path: '/apis/resource.k8s.io/v1/resourceslices',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      spec: {
        driver: 'GPU.example.com',
        nodeSelector: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
        },
        pool: { name: 'pool', generation: 0, resourceSliceCount: 1 },
      },
    },
  },
  'resourceslices/2': {
    path: '/apis/resource.k8s.io/v1/resourceslices',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      spec: { driver: 'gpu.example.com', allNodes: true, pool: { name: 'pool', resourceSliceCount: 1 } },
    },
  },
};
