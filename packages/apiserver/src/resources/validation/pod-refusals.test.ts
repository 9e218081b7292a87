import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../../control-plane.fixture.ts';
import { createControlPlane } from '../../control-plane.fixture.ts';
import { RawClient } from '../../raw-client.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const STRATEGIC = { headers: { 'content-type': 'application/strategic-merge-patch+json' } };
const CPU = { requests: { cpu: '100m' } };

// The expected messages are those of kube-apiserver v1.35.4.
describe('Pods that are refused', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    client = new RawClient(plane.config);
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const messageOf = (body: { readonly kind: string; readonly message: string }): string =>
    body.kind === 'Status' ? body.message.replace(/^Pod "[^"]*" is invalid: /u, '') : '';

  const podOf = (name: string, spec: object = {}, annotations: object = {}, container: object = {}): object => ({
    metadata: { name, annotations },
    spec: { ...spec, containers: [{ name: 'a', image: 'i', ...container }] },
  });

  /** Returns the message of the refusal of a new Pod; `''` if it is accepted. */
  async function refusal(...parts: [spec?: object, annotations?: object, container?: object]): Promise<string> {
    const { body } = await client.post(`${PODS}?dryRun=All`, podOf('x', ...parts));
    return messageOf(body);
  }

  async function patched(path: string, spec: object): Promise<string> {
    const options = { body: { spec }, ...STRATEGIC };
    return messageOf((await client.request('PATCH', `${PODS}/${path}?dryRun=All`, options)).body);
  }

  it('K-20: tolerations in an annotation are decoded and validated', async () => {
    const name = 'scheduler.alpha.kubernetes.io/tolerations';
    const invalid = (why: string) => `metadata.annotations: Invalid value: "${name}": ${why}`;
    const cases: readonly (readonly [text: string, expected: unknown])[] = [
      [
        '[{"key":"a","operator":"Exists"},null]',
        expect.stringContaining('operator must be Exists when `key` is empty'),
      ],
      ['[{"Key":"a"}]', ''],
      ['{}', invalid('json: cannot unmarshal object into Go value of type []core.Toleration')],
      ['[{"key":5}]', invalid('json: cannot unmarshal number into Go struct field Toleration.Key of type string')],
      ['x', invalid("invalid character 'x' looking for beginning of value")],
    ];
    for (const [text, expected] of cases) expect(await refusal({}, { [name]: text })).toEqual(expected);
  });

  it('K-20: seccomp profiles of annotations and fields agree', async () => {
    const annotations = { 'container.seccomp.security.alpha.kubernetes.io/a': 'localhost/p' };
    const profile = (seccompProfile: object) => ({ securityContext: { seccompProfile } });
    const field = 'spec.containers[0].securityContext.seccompProfile';
    expect(await refusal({}, annotations, profile({ type: 'RuntimeDefault' }))).toBe(
      `${field}.type: Forbidden: seccomp type in annotation and field must match`,
    );
    expect(await refusal({}, annotations, profile({ type: 'Localhost', localhostProfile: 'q' }))).toBe(
      `${field}.localhostProfile: Forbidden: seccomp profile in annotation and field must match`,
    );
    expect(await refusal({}, annotations, profile({ type: 'Localhost', localhostProfile: 'p' }))).toBe('');
  });

  it('K-20: names of volumes fit those of their claims and initiators', async () => {
    const accessModes = ['ReadWriteOnce'];
    const template = { spec: { accessModes, resources: { requests: { storage: '1Gi' } } } };
    const claim = await refusal({ volumes: [{ name: 'A', ephemeral: { volumeClaimTemplate: template } }] });
    expect(claim).toContain('spec.volumes[0].name: Invalid value: "A": PVC name "x-A": a lowercase RFC 1123 subdomain');
    const iscsi = { targetPortal: 'x'.repeat(64), iqn: 'iqn.2001-04.com.example:s', lun: 0 };
    const volume = { name: 'v', iscsi: { ...iscsi, initiatorName: 'iqn.2001-04.com.example:i' } };
    expect(await refusal({ volumes: [volume] })).toBe(
      'spec.volumes[0].name: Invalid value: "v": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    );
    expect(await refusal({ volumes: [{ name: 'v', iscsi }] })).toBe('');
  });

  it('K-20: values that only look wrong are accepted, and the others are named', async () => {
    const pages = { limits: { cpu: '1', 'hugepages-2Mi': '0' } };
    expect(await refusal({}, {}, { resources: pages })).toBe('');
    const key = { configMapKeyRef: { name: 'c', key: '..a' } };
    expect(await refusal({}, {}, { env: [{ name: 'E', valueFrom: key }] })).toBe(
      `spec.containers[0].env[0].valueFrom.configMapKeyRef.key: Invalid value: "..a": must not start with '..'`,
    );
    expect(await refusal({ runtimeClassName: 'a/b' })).toBe(`invalid resource name "a/b": [may not contain '/']`);
    const disk = { diskName: 'd', diskURI: 'https://a.blob.core.windows.net/b/c.vhd', kind: '' };
    expect(await refusal({ volumes: [{ name: 'v', azureDisk: disk }] })).toContain(
      'azureDisk.kind: Unsupported value: ""',
    );
    expect(await refusal({}, {}, { livenessProbe: { exec: {}, timeoutSeconds: 1.5 } })).toContain('of type int32');
  });

  it('K-20: a resize keeps the class of a Pod, its containers and all but CPU and memory', async () => {
    await client.post(PODS, podOf('plain'));
    await client.post(PODS, podOf('sized', {}, {}, { resources: CPU }));
    await client.post(PODS, podOf('windows', { os: { name: 'windows' } }));
    await client.post(PODS, podOf('mirror', { nodeName: 'n' }, { 'kubernetes.io/config.mirror': 'x' }));
    const resize = (pod: string, container: object, spec: object = {}) =>
      patched(`${pod}/resize`, { ...spec, containers: [{ name: 'a', ...container }] });
    expect(await resize('sized', { resources: { requests: { cpu: '2', memory: '1Gi' } } })).toBe('');
    const cases: readonly (readonly [pod: string, container: object, expected: string])[] = [
      [
        'plain',
        { resources: CPU },
        'spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing',
      ],
      ['windows', { resources: CPU }, '[]: Forbidden: windows pods cannot be resized'],
      ['mirror', { resources: CPU }, '[]: Forbidden: static pods cannot be resized'],
      [
        'sized',
        { resources: { requests: { memory: '1Gi', cpu: null } } },
        'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
      ],
      [
        'sized',
        { resources: { requests: { 'ephemeral-storage': '1Gi' } } },
        'spec: Forbidden: only cpu and memory resources are mutable',
      ],
      [
        'sized',
        { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
        'spec: Forbidden: only cpu and memory resources are mutable',
      ],
      [
        'sized',
        { name: 'b', image: 'i' },
        'spec.containers: Forbidden: containers may not be added or removed on resize',
      ],
    ];
    for (const [pod, container, expected] of cases) expect(await resize(pod, container)).toBe(expected);
  });

  it('K-20: ephemeral containers have no ports, resources, probes or sub-paths, and a target that exists', async () => {
    await client.post(PODS, podOf('debugged'));
    const add = (container: object) =>
      patched('debugged/ephemeralcontainers', { ephemeralContainers: [{ name: 'e', image: 'i', ...container }] });
    const field = 'spec.ephemeralContainers[0]';
    const forbidden = (name: string) => `${field}.${name}: Forbidden: cannot be set for an Ephemeral Container`;
    expect(await add({})).toBe('');
    expect(await add({ ports: [{ containerPort: 5 }] })).toBe(forbidden('ports'));
    expect(await add({ resources: CPU })).toBe(forbidden('resources'));
    expect(await add({ livenessProbe: { exec: { command: ['x'] } } })).toBe(forbidden('livenessProbe'));
    expect(await add({ targetContainerName: 'q' })).toBe(`${field}.targetContainerName: Not found: "q"`);
    expect(await add({ name: 'a' })).toBe(`${field}.name: Duplicate value: "a"`);
    expect(await add({ image: ' i' })).toContain('must not have leading or trailing whitespace');
  });

  it('K-20: an update can change the seconds of a toleration, and lower a deadline', async () => {
    const toleration = { key: 'k', operator: 'Exists', effect: 'NoExecute' };
    await client.post(PODS, podOf('tolerant', { tolerations: [{ ...toleration, tolerationSeconds: 5 }] }));
    expect(await patched('tolerant', { tolerations: [{ ...toleration, tolerationSeconds: 50 }] })).toBe('');
    expect(await patched('tolerant', { activeDeadlineSeconds: -1 })).toBe(
      '[spec.activeDeadlineSeconds: Invalid value: -1: must be between 1 and 2147483647, inclusive, spec.activeDeadlineSeconds: Invalid value: -1: must be between 0 and 2147483647, inclusive]',
    );
  });

  it('K-20: most kinds refuse finalizers without a domain, after those with a malformed name', async () => {
    const finalizers = ['a b'];
    const { body } = await client.post('/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'f', finalizers },
    });
    expect(body.message).toMatch(
      /metadata\.finalizers: Invalid value: "a b": name part .*metadata\.finalizers\[0\]: Invalid value: "a b": name is neither a standard finalizer name nor is it fully qualified\]$/u,
    );
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const lease = await client.post(leases, { metadata: { name: 'f', finalizers: ['x'] }, spec: {} });
    expect(lease.status).toBe(201);
  });
});
