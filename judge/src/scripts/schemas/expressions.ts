import type { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import type { Fact } from '../session.ts';
import { DEFINITIONS, definition, serve } from './definition.ts';
import { syntaxSources } from './syntax-sources.ts';
import { valueSources } from './value-sources.ts';
import { write } from './write.ts';

const text = { type: 'string', maxLength: 20 };

const properties = {
  a: { type: 'integer' },
  b: { type: 'integer' },
  n: { type: 'number' },
  s: text,
  l: { type: 'array', maxItems: 10, items: { type: 'integer' } },
  t: { type: 'array', maxItems: 10, items: text },
  m: { type: 'object', maxProperties: 10, additionalProperties: { type: 'integer' } },
  o: { type: 'object', properties: { p: text, q: { type: 'integer' } } },
  set: { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'set', items: text },
  ml: {
    type: 'array',
    maxItems: 5,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', required: ['k'], properties: { k: text, v: { type: 'integer' } } },
  },
  dt: { type: 'string', format: 'date-time' },
  d: { type: 'string', format: 'date' },
  du: { type: 'string', format: 'duration' },
  by: { type: 'string', format: 'byte', maxLength: 20 },
  ios: { 'x-kubernetes-int-or-string': true },
  en: { type: 'string', enum: ['x', 'yy'] },
  'a-b': { type: 'integer' },
  namespace: text,
  nul: { ...text, nullable: true },
  er: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
};

const spec = {
  a: 1,
  b: 2,
  n: 1.5,
  s: 'héllo',
  l: [3, 1, 2],
  t: ['b', 'a'],
  m: { x: 1, y: 2 },
  o: { p: 'P', q: 3 },
  set: ['u', 'v'],
  ml: [{ k: 'a', v: 1 }, { k: 'b' }],
  dt: '2024-02-29T12:34:56.789Z',
  d: '2024-02-29',
  du: '1h30m5s',
  by: 'aGk=',
  ios: '5%',
  en: 'yy',
  'a-b': 7,
  namespace: 'ns',
  nul: null,
  er: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
};

/** Number of rules of one kind. */
const RULES = 30;

/** Expressions that are also validations of policies and match conditions of webhooks, where `self` is `object`. */
const SHARED = 60;

interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
}

const withRules = (rules: readonly Rule[]): object => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } },
});

/** Compiles expressions in definitions, policies and webhooks, and evaluates those that the server accepts. */
export async function expressions(client: RawClient): Promise<Fact[]> {
  const rules = [
    ...syntaxSources.map((rule) => ({ rule, message: `broken: ${rule.replaceAll('\n', ' ')}` })),
    // No value is equal to this text, so that the message of the rule shows the value.
    ...valueSources.map((value) => ({
      rule: `dyn(${value}) == dyn("§")`,
      messageExpression: `"%s".format([dyn(${value})])`,
    })),
  ];
  const facts: Fact[] = [];
  const accepted: Rule[] = [];
  for (const rule of rules) {
    const body = definition('expressions', withRules([rule]));
    const fact = await write(client, { asked: rule.rule, path: `${DEFINITIONS}?dryRun=All`, body });
    facts.push(withoutSpec(fact));
    if (fact.status === 201) accepted.push(rule);
  }
  for (let start = 0; start < accepted.length; start += RULES) {
    const plural = `rules${start}`;
    const path = await serve(client, plural, withRules(accepted.slice(start, start + RULES)));
    const object = { apiVersion: 'schemas.example.com/v1', kind: `Kind${plural}`, metadata: { name: 'a' }, spec };
    facts.push(await write(client, { asked: plural, path: `${path}?dryRun=All`, body: object }));
  }
  return [...facts, ...(await sharedExpressions(client))];
}

/** An accepted object is the one that was sent. */
function withoutSpec({ asked, status, answer }: Fact): Fact {
  return { asked, status, answer: status < 300 ? null : answer };
}

async function sharedExpressions(client: RawClient): Promise<Fact[]> {
  const group = '/apis/admissionregistration.k8s.io/v1';
  const metadata = { name: 'expressions' };
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const facts: Fact[] = [];
  for (const source of syntaxSources.slice(0, SHARED)) {
    const expression = source.replaceAll(/\bself\b/gu, 'object');
    const policy = { metadata, spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression }] } };
    const webhook = {
      name: 'expressions.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules,
      matchConditions: [{ name: 'expressions', expression }],
    };
    for (const [plural, body] of [
      ['validatingadmissionpolicies', policy],
      ['validatingwebhookconfigurations', { metadata, webhooks: [webhook] }],
    ] as const) {
      const fact = await write(client, {
        asked: `${plural} ${expression}`,
        path: `${group}/${plural}?dryRun=All`,
        body,
      });
      facts.push(withoutSpec(fact));
    }
  }
  return facts;
}
