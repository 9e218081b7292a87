import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../../control-plane.fixture.ts';
import { createControlPlane } from '../../control-plane.fixture.ts';
import { RawClient } from '../../raw-client.fixture.ts';

const NAMESPACE = '/namespaces/default';
const PODS = `/api/v1${NAMESPACE}/pods`;
const labels = { app: 'web' };
const containers = [{ name: 'main', image: 'nginx' }];
const workload = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };

// The expected messages are those of kube-apiserver v1.35.4.
describe('values that built-in kinds refuse or change', () => {
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

  /** Returns the message of the refusal of a new object; `''` if it is accepted. */
  async function refusal(path: string, spec: object, metadata: object = {}): Promise<string> {
    const { body } = await client.post(`${path}?dryRun=All`, { metadata: { name: 'x', ...metadata }, spec });
    return body.kind === 'Status' ? body.message : '';
  }

  it('K-28: the address and the addresses of a Pod agree', async () => {
    await client.post(PODS, { metadata: { name: 'addresses' }, spec: { containers } });
    const statusAfter = async (status: object) => {
      const { body } = await client.patch(`${PODS}/addresses/status`, { status });
      return body.kind === 'Status' ? body.message : body.status;
    };
    const one = (ip: string) => ({ podIP: ip, podIPs: [{ ip }] });
    expect(await statusAfter({ podIPs: [{ ip: '1.2.3.4' }] })).toMatchObject(one('1.2.3.4'));
    expect(await statusAfter({ podIP: '1.2.3.9' })).toMatchObject(one('1.2.3.9'));
    expect(await statusAfter({ podIP: 'abc' })).toBe(
      'Pod "addresses" is invalid: status.podIPs[0]: Invalid value: "abc": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    );
    expect(await statusAfter({ podIP: null })).toMatchObject(one('1.2.3.9'));
    expect(await statusAfter({ podIP: null, podIPs: null })).not.toHaveProperty('podIP');
  });

  it('K-28: the status of a PodDisruptionBudget has times of disrupted Pods', async () => {
    const path = `/apis/policy/v1${NAMESPACE}/poddisruptionbudgets`;
    const { body } = await client.post(path, { metadata: { name: 'budget' }, spec: { minAvailable: 1 } });
    const status = { disruptedPods: { a: 'x' } };
    expect((await client.patch(`${path}/budget/status`, { status })).status).toBe(422);
    const replaced = await client.put(`${path}/budget/status`, { ...body, status });
    expect(replaced.status).toBe(400);
    expect(replaced.body.message).toContain('parsing time "x" as "2006-01-02T15:04:05Z07:00"');
  });

  it('K-20: the finalizers of a namespace cannot be patched', async () => {
    expect((await client.patch('/api/v1/namespaces/default/finalize', { spec: { finalizers: [] } })).status).toBe(405);
  });

  it('K-20: a Service that becomes a name outside of the cluster loses its internal policy', async () => {
    const path = `/api/v1${NAMESPACE}/services`;
    await client.post(path, { metadata: { name: 'moved' }, spec: { ports: [{ port: 80 }] } });
    const { body } = await client.patch(`${path}/moved`, { spec: { type: 'ExternalName', externalName: 'a.b' } });
    expect(body.spec).not.toHaveProperty('internalTrafficPolicy');
  });

  it('K-28: the status of a Node has unique addresses and sorted features', async () => {
    await client.post('/api/v1/nodes', { metadata: { name: 'node' } });
    const write = async (status: object) => (await client.patch('/api/v1/nodes/node/status', { status })).body;
    const address = { type: 'Hostname', address: 'a' };
    expect((await write({ addresses: [address, address] })).message).toBe(
      'Node "node" is invalid: status.addresses[1]: Duplicate value: {"Type":"Hostname","Address":"a"}',
    );
    expect((await write({ declaredFeatures: ['B', 'A'] })).message).toContain('list must be sorted alphabetically');
    expect((await write({ declaredFeatures: ['A', 'A'] })).message).toContain(
      'status.declaredFeatures[1]: Duplicate value: "A"',
    );
    expect((await write({ declaredFeatures: ['x y'] })).message).toContain('invalid feature name "x y": must start');
    expect((await write({ declaredFeatures: ['A', 'B'] })).status).toMatchObject({ declaredFeatures: ['A', 'B'] });
  });

  it('K-28: the status of a definition always has a stored version', async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const schema = { openAPIV3Schema: { type: 'object' } };
    await client.post(path, {
      metadata: { name: 'pumps.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'pumps', kind: 'Pump' },
        versions: [{ name: 'v2', served: true, storage: true, schema }],
      },
    });
    const { body } = await client.patch(`${path}/pumps.example.com/status`, { status: { storedVersions: [] } });
    expect(body.status).toMatchObject({ storedVersions: ['v2'] });
  });

  it.each([
    [{ maxUnavailable: 1, maxSurge: 1 }, 'maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero'],
    [{ maxUnavailable: '101%' }, 'maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
    [{ maxUnavailable: -1 }, 'maxUnavailable: Invalid value: -1: must be greater than or equal to 0'],
  ])('K-20: a DaemonSet refuses the rolling update %j', async (rollingUpdate, message) => {
    const spec = { ...workload, updateStrategy: { type: 'RollingUpdate', rollingUpdate } };
    expect(await refusal(`/apis/apps/v1${NAMESPACE}/daemonsets`, spec)).toBe(
      `DaemonSet.apps "x" is invalid: spec.updateStrategy.rollingUpdate.${message}`,
    );
  });

  it('K-20: a Deployment cannot have more than all Pods unavailable', async () => {
    const spec = { ...workload, strategy: { rollingUpdate: { maxUnavailable: '101%' } } };
    expect(await refusal(`/apis/apps/v1${NAMESPACE}/deployments`, spec)).toContain('must not be greater than 100%');
  });

  it.each([
    [{ scaleUp: { policies: [] } }, 'scaleUp.policies: Required value: must specify at least one Policy'],
    [
      { scaleDown: { tolerance: '-1' } },
      'scaleDown.tolerance: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ])('K-20: a HorizontalPodAutoscaler refuses the behavior %j', async (behavior, message) => {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' };
    const path = `/apis/autoscaling/v2${NAMESPACE}/horizontalpodautoscalers`;
    expect(await refusal(path, { scaleTargetRef, maxReplicas: 3, behavior })).toContain(`spec.behavior.${message}`);
  });

  it.each([
    [{ timeZone: 'europe/berlin' }, 'unknown time zone europe/berlin'],
    [{ timeZone: '+01:00' }, 'unknown time zone +01:00'],
    [{ timeZone: 'Factory' }, ''],
    [{ timeZone: 'US/Pacific' }, ''],
    [{ schedule: '@every 1' }, 'failed to parse duration @every 1: time: missing unit in duration "1"'],
    [{ schedule: '@every 1x' }, 'failed to parse duration @every 1x: time: unknown unit "x" in duration "1x"'],
    [{ schedule: '@every -5m' }, ''],
    [{ schedule: '1,2,  * * * *' }, ''],
    [{ schedule: '*-5 * * * *' }, ''],
    [{ schedule: '1-2-3 * * * *' }, 'too many hyphens: 1-2-3'],
  ])('K-20: a CronJob judges %j as Go does', async (fields, message) => {
    const template = { spec: { restartPolicy: 'Never', containers } };
    const spec = { schedule: '* * * * *', ...fields, jobTemplate: { spec: { template } } };
    const text = await refusal(`/apis/batch/v1${NAMESPACE}/cronjobs`, spec);
    if (message === '') expect(text).toBe('');
    else expect(text).toContain(message);
  });

  it('K-20: a new Service competes for ports with the one of the same name, and warns if nothing changes', async () => {
    const path = `/api/v1${NAMESPACE}/services`;
    const spec = { type: 'NodePort', externalName: 'a.example.com', ports: [{ port: 80, nodePort: 30_777 }] };
    await client.post(path, { metadata: { name: 'ported' }, spec });
    const again = await client.post(path, { metadata: { name: 'ported' }, spec });
    expect(again.status).toBe(422);
    expect(again.body.message).toContain('provided port is already allocated');
    const same = await client.patch(`${path}/ported`, { metadata: { labels: { absent: null } } });
    expect(same.headers['warning']).toContain('spec.externalName is ignored');
  });

  it('K-20: fields without a value are named in errors as Go does', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const definition = await client.post(definitions, { metadata: {}, spec: {} });
    expect(definition.body.message).toContain('metadata.name: Required value: name or generateName is required');
    expect(definition.body.message).not.toContain('must be spec.names.plural');
    const secret = await client.post(`/api/v1${NAMESPACE}/secrets`, { metadata: { name: 's' }, data: 'x' });
    expect(secret.body.message).toContain('Secret.data of type map[string][]uint8');
  });

  it('K-25: an apply of the status of a ValidatingAdmissionPolicy that does not exist creates it', async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/absent/status?fieldManager=one';
    const body = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'absent' },
      status: { unknown: 1 },
    };
    const { status } = await client.request('PATCH', path, {
      body,
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    expect(status).toBe(500);
  });

  it('K-14: a table of IPAddresses has an age without a column', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await client.get('/apis/networking.k8s.io/v1/ipaddresses', { accept });
    const { columnDefinitions, rows } = body as unknown as {
      columnDefinitions: unknown[];
      rows: { cells: unknown[] }[];
    };
    expect(columnDefinitions).toHaveLength(2);
    expect(rows[0]?.cells).toHaveLength(3);
  });

  it('K-25: the manager that sends an empty list owns it, although the list is stored as null', async () => {
    const node = { metadata: { name: 'n' }, spec: { drivers: [] } };
    const { body } = await client.post('/apis/storage.k8s.io/v1/csinodes', node);
    expect(body.spec).toEqual({ drivers: null });
    expect(body.metadata.managedFields).toMatchObject([{ fieldsV1: { 'f:spec': { 'f:drivers': {} } } }]);
  });

  it('K-20: the name of an IPAddress is an address, and nothing else is said about it', async () => {
    const spec = { parentRef: { resource: 'services', name: 'a' } };
    const path = '/apis/networking.k8s.io/v1/ipaddresses';
    const { body } = await client.post(path, { metadata: { name: '10.9.0.1/24' }, spec });
    expect(body.message).toBe(
      'IPAddress.networking.k8s.io "10.9.0.1/24" is invalid: metadata.name: Invalid value: "10.9.0.1/24": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    );
  });

  it('K-25: an apply in another version keeps the reference, the replicas and the metrics of an autoscaler', async () => {
    const apply = async (version: string, spec: object) => {
      const path = `/apis/autoscaling/${version}${NAMESPACE}/horizontalpodautoscalers/scaler?fieldManager=one`;
      const metadata = { name: 'scaler' };
      const body = { apiVersion: `autoscaling/${version}`, kind: 'HorizontalPodAutoscaler', metadata, spec };
      const headers = { 'content-type': 'application/apply-patch+yaml' };
      return (await client.request('PATCH', path, { body, headers })).body.spec;
    };
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const target = { type: 'Utilization', averageUtilization: 70 };
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
    await apply('v2', { scaleTargetRef, minReplicas: 2, maxReplicas: 3, metrics });
    expect(await apply('v1', {})).toEqual({
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 70,
    });
  });
});
