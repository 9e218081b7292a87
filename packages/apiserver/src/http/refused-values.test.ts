import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SECRETS = '/api/v1/namespaces/default/secrets';
const TOO_LONG = 'Too long: may not be more than 1048576 bytes';

// The messages are the answers of kube-apiserver v1.35.
describe('values that are refused', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane();
    client = new RawClient(controlPlane.config);
    await client.post(PODS, { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'b' }] } });
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane.stop();
  });

  const create = async (path: string, body: object): Promise<unknown[]> => {
    const answer = await client.post(`${path}?dryRun=All`, body);
    return [answer.status, answer.body.message];
  };

  it.each([
    ['!!', 0],
    ['YWJ', 0],
    ['YW_=', 2],
  ])('K-20: refuses %s in binaryData, which is not base64', async (value, at) => {
    const message = `ConfigMap in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte ${at}`;
    expect(await create(CONFIG_MAPS, { metadata: { name: 'x' }, binaryData: { a: value } })).toEqual([400, message]);
  });

  it('K-20: refuses more data than a ConfigMap or a Secret may have', async () => {
    const metadata = { name: 'x' };
    const binary = Buffer.alloc(600_000).toString('base64');
    const text = 'x'.repeat(600_000);
    const config = await create(CONFIG_MAPS, { metadata, data: { a: text }, binaryData: { b: binary } });
    expect(config).toEqual([422, `ConfigMap "x" is invalid: []: ${TOO_LONG}`]);
    const secret = await create(SECRETS, { metadata, data: { a: binary }, stringData: { b: text } });
    expect(secret).toEqual([422, `Secret "x" is invalid: data: ${TOO_LONG}`]);
    expect((await create(CONFIG_MAPS, { metadata, data: { a: 'x'.repeat(1_048_576) } }))[0]).toBe(201);
  });

  it('K-20: refuses integers that do not fit into the type of a field', async () => {
    const port = (fields: object): object => ({ metadata: { name: 'x' }, spec: { ports: [{ port: 1, ...fields }] } });
    for (const field of ['port', 'targetPort']) {
      const message = `Service in version "v1" cannot be handled as a Service: json: cannot unmarshal number 3000000000 into Go struct field ServicePort.spec.ports.${field} of type int32`;
      const path = '/api/v1/namespaces/default/services';
      expect(await create(path, port({ [field]: 3_000_000_000 }))).toEqual([400, message]);
    }
    const spec = { containers: [{ name: 'a', image: 'b' }], terminationGracePeriodSeconds: 3_000_000_000 };
    expect((await create(PODS, { metadata: { name: 'x' }, spec }))[0]).toBe(201);
  });

  it.each([
    [true, 'bool'],
    [{ a: 1 }, 'object'],
    [[], 'array'],
  ])('K-20: refuses %j as a port, which is an integer or a text', async (port, type) => {
    const probe = { tcpSocket: { port } };
    const pod = { metadata: { name: 'x' }, spec: { containers: [{ name: 'a', image: 'b', readinessProbe: probe }] } };
    const fault = `json: cannot unmarshal ${type} into Go`;
    expect(await create(PODS, pod)).toEqual([
      400,
      `Pod in version "v1" cannot be handled as a Pod: ${fault} struct field TCPSocketAction.spec.containers.readinessProbe.ProbeHandler.tcpSocket.port of type int32`,
    ]);
    const applied = await client.apply(`${PODS}/x`, { apiVersion: 'v1', kind: 'Pod', ...pod }, 'me', '&dryRun=All');
    expect([applied.status, applied.body.message]).toEqual([
      500,
      `failed to convert new object (/x; /v1, Kind=Pod) to proper version: unable to convert unstructured object to /v1, Kind=Pod: ${fault} value of type int32`,
    ]);
  });

  it('K-16: quotes a time that is not ASCII as Go does', async () => {
    const event = { metadata: { name: 'x' }, eventTime: 'Gr\u00fc"' };
    const [, message] = await create('/apis/events.k8s.io/v1/namespaces/default/events', event);
    expect(message).toContain(String.raw`parsing time "Gr\xc3\xbc\"" as`);
  });

  it('K-20: refuses an empty policy of a webhook', async () => {
    const webhook = {
      name: 'a.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { url: 'https://hook.example.com' },
    };
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
    for (const field of ['failurePolicy', 'matchPolicy', 'reinvocationPolicy']) {
      const [status, message] = await create(path, {
        metadata: { name: 'x' },
        webhooks: [{ ...webhook, [field]: '' }],
      });
      expect([status, message]).toEqual([422, expect.stringContaining(`webhooks[0].${field}: Unsupported value: ""`)]);
    }
  });

  it('K-20: names a label that is too long, also if it should select', async () => {
    const labels = { app: 'x'.repeat(64) };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const controller = { metadata: { name: 'x' }, spec: { selector: labels, template } };
    expect(await create('/api/v1/namespaces/default/replicationcontrollers', controller)).toEqual([
      422,
      expect.stringContaining('spec.template.labels: Invalid value'),
    ]);
  });

  it('K-11: judges an update of a PriorityClass only by what changes', async () => {
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
    await client.post(path, { metadata: { name: 'p' }, value: 5 });
    const { body } = await client.patch(`${path}/p`, { value: 2_000_000_000, preemptionPolicy: 'Never' });
    expect(body.message).toBe(
      'PriorityClass.scheduling.k8s.io "p" is invalid: [value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: "Never": field is immutable]',
    );
  });

  it('K-10: refuses a negative generation', async () => {
    const message =
      'ConfigMap "x" is invalid: metadata.generation: Invalid value: -1: must be greater than or equal to 0';
    expect(await create(CONFIG_MAPS, configMap('x', {}, { generation: -1 }))).toEqual([422, message]);
  });

  it.each(['as=Table;v=v9;g=meta.k8s.io', 'as=Table', 'as=Table;v=v1;g=x', 'as=PartialObjectMetadataList;v=v1'])(
    'K-18: does not serve %s',
    async (parameters) => {
      expect((await client.get(CONFIG_MAPS, { accept: `application/json;${parameters}` })).status).toBe(406);
    },
  );

  it.each([';', ';a=b'])('K-24: refuses the content type %j', async (type) => {
    const headers = { 'content-type': type };
    expect((await client.request('POST', CONFIG_MAPS, { body: configMap('x'), headers })).status).toBe(415);
  });

  it.each([
    ['tailLines=abc', 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['limitBytes=', 400, 'strconv.ParseInt: parsing "": invalid syntax'],
    ['sinceTime=zz', 400, 'parsing time "zz" as "2006-01-02T15:04:05Z07:00": cannot parse "zz" as "2006"'],
    [
      'tailLines=-1',
      422,
      'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['limitBytes=0', 422, 'PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=-1', 422, 'PodLogOptions "p" is invalid: sinceSeconds: Invalid value: -1: must be greater than 0'],
  ])('K-28: refuses the log option %s', async (query, code, message) => {
    const { status, body } = await client.get(`${PODS}/p/log?${query}`);
    expect([status, body.message]).toEqual([code, message]);
  });
});
