import type { Answer } from '../../../../packages/apiserver/src/webhooks/webhook-server.fixture.ts';
import {
  admissionReview,
  allow,
  patchWith,
} from '../../../../packages/apiserver/src/webhooks/webhook-server.fixture.ts';
import type { Situation, SituationWebhook } from './situation.ts';
import { CONFIG_MAPS, createMap } from './situation.ts';

function failing(name: string, answer: Answer, webhook: Partial<SituationWebhook> = {}): Situation {
  return { name, webhooks: [{ kind: 'Mutating', answer, ...webhook }], requests: [createMap(name)] };
}

const http =
  (code: number, body: string | object): Answer =>
  (_review, response) => {
    response.statusCode = code;
    return body;
  };

const review =
  (fields: object): Answer =>
  ({ apiVersion, kind }) => ({ apiVersion, kind, ...fields });

const patch =
  (fields: object): Answer =>
  (sent) =>
    admissionReview(sent, { allowed: true, ...fields });

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Webhooks that fail, or whose responses are invalid. */
export const failureSituations: readonly Situation[] = [
  failing('refused', allow, { clientConfig: { url: 'https://127.0.0.1:1/path' } }),
  failing('ignored', allow, { clientConfig: { url: 'https://127.0.0.1:1/path' }, fields: { failurePolicy: 'Ignore' } }),
  failing('unknown-authority', allow, { clientConfig: { caBundle: undefined } }),
  failing('no-service', allow, { clientConfig: { service: { name: 's', namespace: 'default', path: '/p' } } }),
  failing('slow', () => undefined, { fields: { timeoutSeconds: 1 } }),
  failing('http-404', http(404, 'nothing here')),
  failing('http-400', http(400, 'bad')),
  failing('http-403', http(403, 'not for you')),
  failing('http-500', http(500, 'it "broke"')),
  failing('http-503', http(503, 'later')),
  failing('http-status', http(500, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'as a status' })),
  failing('reset', (_review, response) => void response.destroy()),
  failing('no-response', review({})),
  failing('other-uid', review({ response: { uid: 'x', allowed: true } })),
  failing('other-kind', ({ request }) => ({ apiVersion: 'v1', kind: 'Pod', response: { uid: request.uid } })),
  failing('no-kind', ({ request }) => ({ response: { uid: request.uid, allowed: true } })),
  failing('text', () => 'hello'),
  failing('empty-object', () => ({})),
  failing('patch-without-type', patch({ patch: base64('[]') })),
  failing('type-without-patch', patch({ patchType: 'JSONPatch' })),
  failing('other-patch-type', patch({ patchType: 'Merge', patch: base64('[{"op":"remove","path":"/data"}]') })),
  failing('patch-not-a-list', patch({ patchType: 'JSONPatch', patch: base64('{}') })),
  failing('patch-not-json', patch({ patchType: 'JSONPatch', patch: base64('[') })),
  failing('patch-remove', patchWith({ op: 'remove', path: '/data/none' })),
  failing('patch-remove-path', patchWith({ op: 'remove', path: '/none/none' })),
  failing('patch-add-path', patchWith({ op: 'add', path: '/none/none', value: 1 })),
  failing('patch-replace', patchWith({ op: 'replace', path: '/data/none', value: 'x' })),
  failing('patch-replace-path', patchWith({ op: 'replace', path: '/none/none', value: 'x' })),
  failing('patch-test', patchWith({ op: 'test', path: '/data/a', value: 'x' })),
  failing('patch-type', patchWith({ op: 'add', path: '/data/a', value: 1 })),
  failing('validating-patch', patch({ patchType: 'JSONPatch', patch: base64('[{"op":"remove","path":"/data"}]') }), {
    kind: 'Validating',
  }),
  {
    name: 'patch-deletion',
    webhooks: [
      {
        kind: 'Mutating',
        answer: patchWith({ op: 'add', path: '/data/x', value: 'x' }),
        fields: {
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }],
        },
      },
    ],
    requests: [createMap('patch-deletion'), { method: 'DELETE', path: `${CONFIG_MAPS}/patch-deletion` }],
  },
];
