import { describe, expect, it } from '@jest/globals';
import { type Manager, type ManagerOptions, Pod } from '@mcr/core';
import { defineKind } from '@mcr/kinds';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { describeConfig } from '../project/describe-project.ts';
import type { McrConfig } from '../project/mcr-config.ts';
import { generatedFiles, warningsOf } from './run-generate.ts';
import shop from './shop.fixture.ts';

/** Returns a function that reads a generated file. */
async function generated(config: McrConfig): Promise<(path: string) => string> {
  const files = generatedFiles(await describeConfig('mcr.config.ts', config));
  return (path) => {
    const file = files.find((each) => each.path === path);
    if (!file) throw new Error(`no file ${path} in ${files.map((each) => each.path).join(', ')}`);
    return file.text;
  };
}

const configOf = (options: ManagerOptions, fields: Partial<McrConfig> = {}): McrConfig => ({
  name: 'a',
  manager: () => options,
  setup: () => undefined,
  ...fields,
});

interface Found {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly rules: readonly unknown[];
}

/** Returns the objects of YAML documents. */
function objectsOf(text: string): Found[] {
  return parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Found;
  });
}

describe('generated manifests', () => {
  it('WB-3: each rule names the code that needs it, and nothing else is granted', async () => {
    const read = await generated(shop);
    expect(read('members/rbac.yaml')).toBe(`\
# Written by mcr generate. DO NOT EDIT: change mcr.config.ts or the code, and run the command again.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: shop-operator
rules:
  # controller "shop": owns(Deployment)
  # controller "shop": requires()
  - apiGroups: [apps]
    resources: [deployments]
    verbs: [list, watch, create, patch]
  # controller "shop": for(Shop)
  - apiGroups: [shop.example.com]
    resources: [shops]
    verbs: [list, watch]
  # controller "shop": requires()
  - apiGroups: [shop.example.com]
    resources: [shops/status]
    verbs: [patch]
`);
    const roles = objectsOf(read('base/rbac.yaml'));
    expect(roles.map(({ kind, metadata: { name, namespace } }) => `${kind} ${namespace}/${name}`)).toEqual([
      'ServiceAccount shop/shop-operator',
      'Role keys/shop-operator-keys',
      'RoleBinding keys/shop-operator-keys',
      'Role shop/shop-operator',
      'RoleBinding shop/shop-operator',
    ]);
  });

  it('WB-3: the chart has the objects of the base, in the namespace of the release', async () => {
    const read = await generated(shop);
    const values = objectsOf(read('chart/values.yaml'))[0] as unknown as {
      image: string;
      replicas: number;
      resources: object;
    };
    for (const name of ['rbac', 'deployment', 'network']) {
      const template = read(`chart/templates/${name}.yaml`);
      const rendered = template
        .replaceAll('{{ .Release.Namespace | quote }}', '"shop"')
        .replaceAll('{{ .Values.image | quote }}', JSON.stringify(values.image))
        .replaceAll('{{ .Values.replicas }}', String(values.replicas))
        .replaceAll(/\{\{- toYaml \.Values\.resources \| nindent \d+ \}\}/gu, ` ${JSON.stringify(values.resources)}`);
      expect(rendered).not.toContain('{{');
      const text = (objects: Found[]) => objects.map((object) => JSON.stringify(object)).sort();
      expect(text(objectsOf(rendered))).toEqual(text(objectsOf(read(`base/${name}.yaml`))));
    }
    const deployment = read('chart/templates/deployment.yaml');
    // The resources are fields of the container, which begin in column 10.
    expect(deployment).toContain('\n          resources: {{- toYaml .Values.resources | nindent 12 }}\n');
  });

  it('WB-3: braces in the name of a controller are text in the chart', async () => {
    const setup = (manager: Manager) =>
      manager.permissions.require('{{ fail "x" }}', [{ kind: Pod, verbs: ['get'], in: 'local' }]);
    const read = await generated(configOf({}, { setup }));
    expect(read('chart/templates/rbac.yaml')).toContain('# {{ "{{" }} fail "x" }}\n');
  });

  it('WB-3: texts remain texts in YAML 1.1, which kubectl and Helm read', async () => {
    const texts = ['yes', 'on', 'y', 'NO', '1_000', '12:30:45', '0b11', '017', '2001-01-01', '<<', '1e3', 'null', '~'];
    const hidden = [
      'a\u0085b',
      'a\u2028b',
      '\ufeffa',
      '\u0001',
      '\ta',
      'a\u202e\n b',
      '\u{e0041}',
      '\uffff',
      'a\n---\nb: c',
    ];
    const env = Object.fromEntries([...texts, ...hidden].map((text, index) => [`E${index}`, text]));
    const read = await generated(configOf({}, { deploy: { env, image: 'on' } }));
    const [deployment] = parseAllDocuments(read('base/deployment.yaml'), { version: '1.1' });
    const values = Object.entries(env).map(([name, value]) => ({ name, value }));
    expect(deployment?.toJS()).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'on', env: values }] } } },
    });
    // The parsers in Go refuse control characters, and pairs of escapes for one character.
    expect(read('base/deployment.yaml')).toMatch(/^[\n -~]*$/u);
    expect(read('base/deployment.yaml')).toContain('"\\U000e0041"');
    expect(read('chart/values.yaml')).toContain("image: 'on'");
  });

  it('WB-3: fields of a kind remain texts in YAML 1.1', async () => {
    const Point = defineKind({
      ...{ apiVersion: 'example.com/v1', kind: 'Point', plural: 'points', scope: 'Namespaced' },
      spec: z.object({ y: z.enum(['yes', 'no']) }),
    });
    const read = await generated(configOf({}, { kinds: [Point] }));
    expect(read('base/crds/points.example.com.yaml')).toContain("'y':");
    expect(read('base/crds/points.example.com.yaml')).toContain("enum: ['yes', 'no']");
  });

  it('WB-3: a text of the program cannot hide or forge lines of a comment', async () => {
    const text = 'x\n  - apiGroups: ["*"]\u0085\u202e\r# ok \0';
    const setup = ({ permissions }: Manager) => {
      permissions.require(text, [{ kind: Pod, verbs: ['get'], in: 'local' }]);
      permissions.require('y'.repeat(299) + '\u{1f600}', [{ kind: Pod, verbs: ['list'], in: 'local' }]);
    };
    const read = await generated(configOf({}, { setup }));
    expect(read('base/rbac.yaml')).toContain('  # x - apiGroups: ["*"]\\u0085\\u202e # ok \\u0000\n');
    expect(read('base/rbac.yaml').isWellFormed()).toBe(true);
  });

  it.each<[string, ManagerOptions, object, number]>([
    ['single', {}, { replicas: 1, strategy: { type: 'Recreate' } }, 35],
    ['leader election', { leaderElection: { id: 'a' } }, { replicas: 2, strategy: { type: 'RollingUpdate' } }, 35],
    [
      'sharding',
      { sharding: { name: 'a', warmTimeout: 20_000 } },
      { replicas: 3, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
      40,
    ],
  ])('WB-3: the Deployment fits %s', async (_, options, expected, grace) => {
    const read = await generated(configOf({ health: { bindAddress: ':8081' }, ...options }));
    const [deployment, budget] = objectsOf(read('base/deployment.yaml'));
    expect(deployment?.spec).toMatchObject({
      ...expected,
      template: {
        spec: {
          terminationGracePeriodSeconds: grace,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              livenessProbe: { httpGet: { path: '/healthz', port: 'health' }, timeoutSeconds: 6 },
              readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, timeoutSeconds: 6 },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    });
    expect(budget?.spec).toMatchObject({ maxUnavailable: 1 });
  });

  it('WB-3: ports that others cannot reach are not opened, and a warning says what to set', async () => {
    const config = configOf({ health: { bindAddress: '127.0.0.1:8081' }, metrics: { bindAddress: '0' } });
    expect(warningsOf(await describeConfig('mcr.config.ts', config))).toEqual([
      "the Deployment has no probes: set health: { bindAddress: ':8081' } in the options of manager()",
    ]);
    const read = await generated(config);
    const [policy, ...services] = objectsOf(read('base/network.yaml'));
    expect(policy?.spec).toMatchObject({ policyTypes: ['Ingress'], ingress: [] });
    expect(services).toEqual([]);
  });

  it('WB-3: metrics that need a token are read over TLS, with a role for readers', async () => {
    const certificate = { certFile: '/c/tls.crt', keyFile: '/c/tls.key' };
    const read = await generated(configOf({ metrics: { access: 'authorized', certificate } }));
    const [monitor, reader] = objectsOf(read('monitoring/service-monitor.yaml'));
    expect(monitor?.spec).toMatchObject({
      endpoints: [{ scheme: 'https', bearerTokenFile: expect.any(String) as unknown }],
    });
    expect(reader?.rules).toEqual([{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]);
    const roles = objectsOf(read('base/rbac.yaml'));
    expect(roles.find(({ kind }) => kind === 'ClusterRole')?.rules).toHaveLength(2);
  });
});
