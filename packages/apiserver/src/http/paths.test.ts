import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const YAML_BODY = { 'content-type': 'application/yaml' };
const ACCEPT_YAML = { accept: 'application/yaml' };

describe('paths and queries', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane();
    client = new RawClient(controlPlane.config);
    await client.post(CONFIG_MAPS, configMap('q', { a: 'b' }));
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane.stop();
  });

  const post = (body: unknown, headers: Readonly<Record<string, string>> = JSON_BODY, query = '') =>
    client.request('POST', `${CONFIG_MAPS}${query}`, { body, headers });

  it('K-24: lists all namespaces if the namespace of a path is empty, and refuses other requests', async () => {
    const [empty, all] = [await client.get('/api/v1/namespaces//configmaps'), await client.get('/api/v1/configmaps')];
    expect([empty.status, empty.body]).toEqual([200, all.body]);
    const path = '/api/v1/namespaces//configmaps';
    for (const answer of [await client.get(`${path}/q`), await client.delete(`${path}/q`), await client.delete(path)]) {
      expect([answer.status, answer.body.message]).toEqual([400, 'Namespace parameter required.']);
    }
    expect((await client.get('/api/v1//namespaces/default/configmaps')).status).toBe(404);
  });

  it('K-9: a list of an empty namespace is authorized as one of all namespaces', async () => {
    const role = {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }],
    };
    await client.post('/apis/rbac.authorization.k8s.io/v1/clusterroles', role);
    await client.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [{ kind: 'User', name: 'reader' }],
    });
    using reader = new RawClient(await controlPlane.issueToken({ user: 'reader' }));
    const { status, body } = await reader.get('/api/v1/namespaces//configmaps');
    expect([status, body.message]).toEqual([
      403,
      'configmaps is forbidden: User "reader" cannot list resource "configmaps" in API group "" at the cluster scope',
    ]);
  });

  it.each(['/version/', '/api/', '/apis/', '/api/v1/', '/apis/apps/v1/', '/api/v1/namespaces/', `${CONFIG_MAPS}/q/`])(
    'K-24: ignores the slash at the end of %s',
    async (path) => {
      const [slash, plain] = [await client.get(path), await client.get(path.slice(0, -1))];
      expect([slash.status, slash.body]).toEqual([200, plain.body]);
    },
  );

  it('K-24: accepts a path of 50 KB over HTTP/1.1', async () => {
    const { config } = controlPlane;
    const values = Array.from({ length: 5_000 }, (_, index) => `value${index}`).join(',');
    const url = `${config.server}${CONFIG_MAPS}?labelSelector=${encodeURIComponent(`a in (${values})`)}`;
    const headers = { authorization: `Bearer ${config.auth?.type === 'token' ? config.auth.token : ''}` };
    const sent = request(url, { ca: config.tls?.caData, headers, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect([response.httpVersion, response.statusCode]).toEqual(['1.1', 200]);
  });

  it('K-24: answers 600 pipelined requests of an HTTP/1.1 connection in their order', async () => {
    const { server, tls, auth } = controlPlane.config;
    const token = auth?.type === 'token' ? auth.token : '';
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(server).port), ca: tls?.caData });
    const paths = Array.from(
      { length: 600 },
      (_, index) => `${CONFIG_MAPS}/${index % 3 === 0 ? 'q' : `missing-${index}`}`,
    );
    const head = ['HTTP/1.1', 'host: pipelined', `authorization: Bearer ${token}`].join('\r\n');
    socket.write(paths.map((path) => `GET ${path} ${head}\r\n\r\n`).join(''));
    let text = '';
    for await (const chunk of socket.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (text.includes('"missing-599\\" not found') && text.endsWith('}')) break;
    }
    const found = [...text.matchAll(/"name":"(?<name>[^"]*)"/gu)].map(({ groups }) => groups?.['name'] ?? '');
    expect(found).toEqual(paths.map((path) => path.slice(CONFIG_MAPS.length + 1)));
  });

  it('K-24: does not ignore two slashes, or the slash after a health check', async () => {
    expect((await client.get('/api/v1//namespaces')).body.reason).toBe('NotFound');
    expect((await client.get('//api/v1/namespaces')).text).toBe('404 page not found\n');
    expect((await client.get('/healthz/')).text).toBe('404 page not found\n');
  });

  it('K-24: answers 404 with a Status below a served group, and with text elsewhere', async () => {
    for (const path of ['/api/v2', '/api/v1/nope', '/apis/apps/v9', '/apis/apps/v1/nope/x']) {
      expect((await client.get(path)).body.message).toBe('the server could not find the requested resource');
    }
    for (const path of ['/nope', '/apis/nope/v1', '/openapi/v2/']) {
      const { status, text, headers } = await client.get(path);
      expect([status, text, headers['x-content-type-options']]).toEqual([404, '404 page not found\n', 'nosniff']);
    }
  });

  it.each(['True', '1', 't', 'yes', 'f', '', 'no'])('K-24: watch=%s is a watch', async (value) => {
    const watch = await client.watch(`${CONFIG_MAPS}?watch=${value}&timeoutSeconds=1`);
    expect((await watch.next())?.type).toBe('ADDED');
    watch.close();
  });

  it.each(['false', 'FALSE', '0'])('K-24: watch=%s is a list', async (value) => {
    expect((await client.get(`${CONFIG_MAPS}?watch=${value}`)).body.kind).toBe('ConfigMapList');
  });

  it.each([
    ['limit=', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['limit=abc', 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['limit=1.5', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ['limit=99999999999999999999', 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ['timeoutSeconds=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
  ])('K-24: answers 400 to the query %s', async (query, message) => {
    const { status, body } = await client.get(`${CONFIG_MAPS}?${query}`);
    expect([status, body.message]).toEqual([400, message]);
  });

  it('K-24: ignores unknown parameters, and uses the first of repeated ones', async () => {
    expect((await client.get(`${CONFIG_MAPS}?unknown=1&x`)).status).toBe(200);
    const { body } = await client.get(`${CONFIG_MAPS}?watch=false&watch=true&timeoutSeconds=1`);
    expect(body.kind).toBe('ConfigMapList');
  });

  it('K-24: serves the deprecated paths of watches, in a namespace and by name', async () => {
    const first = async (path: string): Promise<string> => {
      const watch = await client.watch(path);
      const [event = ''] = await watch.take(1);
      watch.close();
      return event.replace(/@.*/, '');
    };
    expect(await first('/api/v1/watch/namespaces/default/configmaps')).toBe('ADDED q');
    expect(await first('/api/v1/watch/configmaps/?timeoutSeconds=1')).toBe('ADDED q');
    expect(await first('/api/v1/watch/namespaces/default/configmaps/q')).toBe('ADDED q');
    expect(await first('/api/v1/watch/namespaces/kube-system')).toBe('ADDED kube-system');
    const path = '/api/v1/watch/namespaces/default/configmaps/q';
    const { body } = await client.get(`${path}?fieldSelector=metadata.name%3Dz`);
    expect(body.message).toBe("fieldSelector metadata.name doesn't match requested name");
    expect((await client.post('/api/v1/watch/configmaps', {})).status).toBe(405);
    expect((await client.get('/api/v1/watch')).text).toContain('unable to determine kind and namespace from url');
  });

  it('K-24: a watch of a deprecated path needs the permission to watch', async () => {
    using stranger = new RawClient(await controlPlane.issueToken({ user: 'jane' }));
    const { body } = await stranger.get('/api/v1/watch/namespaces/default/configmaps/q');
    expect(body.message).toBe(
      'configmaps "q" is forbidden: User "jane" cannot watch resource "configmaps" in API group "" in the namespace "default"',
    );
  });

  it('K-24: decodes the path before it splits it', async () => {
    expect((await client.get('/api/v1/namespaces/def%61ult/configmaps/%71')).body.metadata.name).toBe('q');
    expect((await client.get('/api/v1/namespaces/default%2Fconfigmaps/q')).body.metadata.name).toBe('q');
    expect((await client.get(`${CONFIG_MAPS}/a%2Fb`)).body.message).toBe(
      'the server could not find the requested resource',
    );
    expect((await client.get(`${CONFIG_MAPS}/a%20b`)).body.message).toBe('configmaps "a b" not found');
  });

  it('K-24: a body of a built-in kind needs neither kind nor version', async () => {
    const { status, body } = await post({ metadata: { name: 'bare' } });
    expect([status, body.kind, body.apiVersion]).toEqual([201, 'ConfigMap', 'v1']);
  });

  const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap): ';
  const unparsed = `${unrecognized}couldn't get version/kind; json parse error: `;
  const identity = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

  it.each([
    ['', `${unparsed}unexpected end of JSON input (<empty>)`],
    ['{', `${unparsed}unexpected end of JSON input ({)`],
    ['{"a":x}', `${unparsed}invalid character 'x' looking for beginning of value ({"a":x})`],
    ['[]', `${unparsed}json: cannot unmarshal array into Go value of type ${identity} (5b5d)`],
    [
      '{"apiVersion":1,"kind":"ConfigMap"}',
      `${unparsed}json: cannot unmarshal number into Go struct field .apiVersion of type string ({"apiVersion":1,"kind":"Config ...)`,
    ],
    [
      '{"apiVersion":"a/b/c","kind":"ConfigMap"}',
      `${unrecognized}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)`,
    ],
    [
      '{"apiVersion":"apps/v1","kind":"ConfigMap"}',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])('K-24: answers 400 to the body %s', async (sent, message) => {
    const { status, body } = await post(sent);
    expect([status, body.message]).toEqual([400, message]);
  });

  it.each(['text/plain', 'application/xml', 'application/merge-patch+json', '*/*'])(
    'K-24: answers 415 to a create with the content type %s',
    async (contentType) => {
      const { status, body } = await post(configMap('type'), { 'content-type': contentType });
      expect([status, body.message]).toEqual([
        415,
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      ]);
    },
  );

  it('K-24: accepts a body without a content type as JSON, and YAML bodies', async () => {
    expect((await post(configMap('untyped'), {})).status).toBe(201);
    const yaml = 'metadata:\n  name: yaml\ndata:\n  a: b\n  a: c\n';
    const warned = await post(yaml, YAML_BODY);
    expect([warned.status, warned.body.data]).toEqual([201, { a: 'c' }]);
    expect(warned.headers['warning']).toBe('299 - "line 5: key \\"a\\" already set in map"');
    const strict = await post(`foo: 1\n${yaml}`, YAML_BODY, '?fieldValidation=Strict');
    expect(strict.body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 6: key "a" already set in map, unknown field "foo"',
    );
    expect((await post('a: b: c', YAML_BODY)).body.message).toBe(
      `${unrecognized}yaml: mapping values are not allowed in this context (613a20623a2063)`,
    );
  });

  it('K-24: answers in YAML to clients that prefer it, also with errors, but does not watch', async () => {
    const { text, headers } = await client.get(`${CONFIG_MAPS}/q`, ACCEPT_YAML);
    expect(headers['content-type']).toBe('application/yaml');
    expect(text).toMatch(/^apiVersion: v1\ndata:\n {2}a: b\nkind: ConfigMap\nmetadata:\n/);
    expect((await client.get(CONFIG_MAPS, ACCEPT_YAML)).text).toContain('\nitems:\n- metadata:\n');
    expect((await client.get(`${CONFIG_MAPS}/absent`, ACCEPT_YAML)).text).toContain('\nreason: NotFound\n');
    expect((await client.get(`${CONFIG_MAPS}?watch=1`, ACCEPT_YAML)).status).toBe(406);
    expect((await client.get('/version', ACCEPT_YAML)).status).toBe(406);
    const both = await client.get(`${CONFIG_MAPS}/q`, { accept: 'application/yaml;q=0.5,application/json' });
    expect(both.headers['content-type']).toBe('application/json');
  });

  it('K-24: indents JSON for pretty=true, and for command line tools', async () => {
    const isIndented = async (query: string, agent = 'test'): Promise<boolean> =>
      (await client.get(`${CONFIG_MAPS}/q${query}`, { 'user-agent': agent })).text.startsWith('{\n  "kind"');
    expect(await isIndented('?pretty=true')).toBe(true);
    expect(await isIndented('')).toBe(false);
    expect(await isIndented('', 'curl/8.0')).toBe(true);
    expect(await isIndented('?pretty=false', 'curl/8.0')).toBe(false);
  });

  it('K-24: lists its paths at /', async () => {
    const { body } = await client.get('/');
    expect(body).toEqual({
      paths: expect.arrayContaining(['/api/v1', '/apis/apps/v1', '/livez', '/metrics']) as unknown,
    });
  });

  it('K-24: reports metrics in the text format of Prometheus', async () => {
    const { text, headers } = await client.get('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain('# TYPE apiserver_resource_objects gauge\n');
    expect(text).toContain('apiserver_resource_objects{group="",resource="namespaces"} 4\n');
  });

  it('K-24: reports health checks together, with exclusions, and one by one', async () => {
    const livez = await client.get('/livez?verbose&exclude=etcd&exclude=nope');
    expect(livez.text).toMatch(/^\[\+\]ping ok\n\[\+\]log ok\n\[\+\]etcd excluded: ok\n/);
    expect(livez.text).toMatch(
      /warn: some health checks cannot be excluded: no matches for "nope"\nlivez check passed\n$/,
    );
    expect((await client.get('/readyz?verbose')).text).toContain('[+]shutdown ok\nreadyz check passed\n');
    for (const path of ['/livez/ping', '/healthz/etcd', '/readyz/informer-sync', '/healthz?exclude=nope']) {
      expect((await client.get(path)).text).toBe('ok');
    }
    expect((await client.get('/livez/shutdown')).status).toBe(404);
  });

  it('K-24: publishes the key that signs the tokens of service accounts', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await client.post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = (await client.post(`${accounts}/robot/token`, request)).body;
    const { token } = status as { readonly token: string };
    const [head = '', claims = '', signature = ''] = token.split('.');
    const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());

    const issuer = await client.get('/.well-known/openid-configuration');
    expect(issuer.body).toMatchObject({
      issuer: 'https://kubernetes.default.svc',
      jwks_uri: `${controlPlane.config.server}/openid/v1/jwks`,
    });
    expect(decode(claims)).toMatchObject({
      iss: 'https://kubernetes.default.svc',
      sub: 'system:serviceaccount:default:robot',
      'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot' } },
    });
    const keys = JSON.parse((await client.get('/openid/v1/jwks')).text) as { keys: { kid: string }[] };
    const [key] = keys.keys;
    expect(decode(head)).toEqual({ alg: 'ES256', kid: key?.kid });
    const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
    const signed = Buffer.from(`${head}.${claims}`);
    const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', signed, options, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('K-24: answers other methods as kube-apiserver does', async () => {
    const statusOf = async (method: string, path: string): Promise<number> =>
      (await client.request(method, path)).status;
    for (const method of ['HEAD', 'OPTIONS', 'TRACE']) expect(await statusOf(method, CONFIG_MAPS)).toBe(405);
    expect(await statusOf('HEAD', '/version')).toBe(405);
    expect(await statusOf('POST', '/api')).toBe(405);
    expect(await statusOf('POST', '/apis')).toBe(200);
    expect(await statusOf('HEAD', '/healthz')).toBe(200);
    expect(await statusOf('DELETE', '/api/v1/configmaps')).toBe(405);
    expect(await statusOf('DELETE', '/api/v1/namespaces')).toBe(405);
  });
});
