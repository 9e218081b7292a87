import type { ClusterConfig } from '@mcr/client';
import { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import { deny, WebhookServer } from '../../../../packages/apiserver/src/webhooks/webhook-server.fixture.ts';
import { NumberedValues } from '../numbered-values.ts';
import type { Fact } from '../session.ts';
import { Session } from '../session.ts';
import { admissionSituations } from './admission-situations.ts';
import { configurationErrors } from './configuration-errors.ts';
import { connectSituations } from './connect-situations.ts';
import { conversionSteps, convertedDefinitions } from './conversions.ts';
import { failureSituations } from './failure-situations.ts';
import { parameter, parameterSituations, policySituations } from './policy-situations.ts';
import type { Situation } from './situation.ts';
import { CONFIG_MAPS, map } from './situation.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';

const RULES = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['configmaps'] }];

const situations: readonly Situation[] = [
  ...admissionSituations,
  ...failureSituations,
  ...policySituations,
  ...parameterSituations,
  ...connectSituations,
];

/** Installs webhooks and policies, and also compares the reviews that a server sends to webhooks. */
export async function admission(config: ClusterConfig): Promise<readonly Fact[]> {
  await using webhooks = await WebhookServer.start();
  using session = new Session(config);
  using client = new RawClient(config);
  const values = new NumberedValues();
  await session.send(parameter);
  for (const situation of situations) await install(client, webhooks, situation);
  await installProbes(client, webhooks);

  for (const { name, requests, webhooks: hooks = [] } of situations) {
    for (const ask of requests) {
      await session.send(ask);
      for (const [index, { records }] of hooks.entries()) {
        // A real server first asks about the object in its watch cache, which may be older.
        const review = webhooks.take(`/${name}-${index}`).at(-1);
        if (!records || !review) continue;
        const answer = values.normalise(review.request);
        session.facts.push({ asked: `webhook ${name}-${index}`, status: 200, answer });
      }
    }
  }
  for (const ask of configurationErrors) await session.send(ask);
  for (const definition of convertedDefinitions(webhooks)) {
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  }
  await until(async () => (await client.get('/apis/judge.example.com/v2/boxes')).status === 200);
  await until(async () => (await client.get('/apis/judge.example.com/v1/crates')).status === 200);
  for (const { answer, ...ask } of conversionSteps) {
    if (answer) webhooks.answers.set('/crates', answer);
    await session.send(ask);
  }
  return JSON.parse(JSON.stringify(session.facts, stable)) as Fact[];
}

function stable(field: string, value: unknown): unknown {
  // The users of the two servers differ.
  if (field === 'userInfo') return undefined;
  // Another script compares the owners of fields.
  if (field === 'managedFields') return undefined;
  if (typeof value !== 'string') return value;
  return value
    .replaceAll(/127\.0\.0\.1:\d{4,5}/gu, '127.0.0.1:port')
    .replaceAll(/\b(?<noun>uid|version)-\d+/gu, '$<noun>')
    .replaceAll(/generated-\w{5}\b/gu, 'generated');
}

async function install(client: RawClient, server: WebhookServer, situation: Situation): Promise<void> {
  const { name, webhooks = [], policy } = situation;
  const objectSelector = { matchLabels: { case: name } };
  for (const [index, { kind, answer, fields, clientConfig }] of webhooks.entries()) {
    const id = `${name}-${index}`;
    const served = server.serve(`/${id}`, answer);
    await create(client, `${kind.toLowerCase()}webhookconfigurations`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: id },
      webhooks: [
        {
          name: `${id}.example.com`,
          clientConfig: clientConfig && 'service' in clientConfig ? clientConfig : { ...served, ...clientConfig },
          rules: RULES,
          objectSelector,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          ...fields,
        },
      ],
    });
  }
  if (!policy) return;
  const matchConstraints = { resourceRules: RULES, objectSelector };
  await create(client, 'validatingadmissionpolicies', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints, ...policy.spec },
  });
  await create(client, 'validatingadmissionpolicybindings', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${name}-binding` },
    spec: { policyName: name, validationActions: ['Deny'], ...policy.binding },
  });
}

/** Waits until all configurations have an effect: kube-apiserver reads them in the order in which they were created. */
async function installProbes(client: RawClient, server: WebhookServer): Promise<void> {
  const answer = deny('probe');
  for (const kind of ['Mutating', 'Validating'] as const) {
    await install(client, server, { name: `zz-${kind.toLowerCase()}`, webhooks: [{ kind, answer }], requests: [] });
  }
  const validations = [{ expression: 'false', message: 'probe' }];
  await install(client, server, { name: 'zz-policy', policy: { spec: { validations } }, requests: [] });
  for (const name of ['zz-mutating', 'zz-validating', 'zz-policy']) {
    await until(async () => {
      const { text } = await client.post(`${CONFIG_MAPS}?dryRun=All`, map(name, name));
      return text.includes('probe');
    });
  }
}

async function create(client: RawClient, plural: string, body: object): Promise<void> {
  const { status, text } = await client.post(`${GROUP}/${plural}`, body);
  if (status !== 201) throw new Error(`the script cannot create ${JSON.stringify(body)}: ${text}`);
}

const DEADLINE = 30_000;

async function until(reached: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + DEADLINE;
  while (!(await reached())) {
    if (performance.now() > end) throw new Error('the server did not reach the expected state in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
