import { describe, expect, it } from '@jest/globals';
import type { Round } from './duel.ts';
import { compare } from './comparison.ts';
import { unknown } from './known-differences.ts';
import type { Json } from './operation.ts';
import type { Answer } from './side.ts';

const reset: Answer = { status: 0, headers: {}, body: 'Stream closed with error code NGHTTP2_INTERNAL_ERROR' };
const refused: Answer = { status: 422, headers: {}, body: { kind: 'Status' } };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const CONFIG_MAP = '/api/v1/namespaces/judge/configmaps/a';

/** Returns the number of differences between two answers that are not accepted. */
function differences(
  sent: { readonly method: string; readonly path: string; readonly headers?: Round['sent']['headers']; body?: Json },
  expected: Answer,
  actual: Answer,
): number {
  const { method, path, headers = {}, body } = sent;
  const round = { index: 0, operation: sent, sent: { method, path, headers, body }, answers: [expected, actual] };
  return unknown(round, compare(expected, actual)).length;
}

describe('known differences', () => {
  it('a panic of kube-apiserver is accepted only for the requests that are known to cause it', () => {
    const patch = { method: 'PATCH', path: CONFIG_MAP, headers: JSON_PATCH };
    expect(differences({ ...patch, body: [{ op: 'replace', path: '' }] }, reset, refused)).toBe(0);
    expect(differences({ ...patch, body: [{ op: 'remove', path: '/data' }] }, reset, refused)).toBeGreaterThan(0);
    expect(differences({ method: 'GET', path: CONFIG_MAP }, reset, refused)).toBeGreaterThan(0);
  });

  it('an answer that did not arrive for another reason is a difference', () => {
    const patch = { method: 'PATCH', path: CONFIG_MAP, headers: JSON_PATCH, body: [{ op: 'replace', path: '' }] };
    const late = { ...reset, body: 'PATCH: no answer within 30000 ms' };
    expect(differences(patch, late, refused)).toBeGreaterThan(0);
  });

  it('a deletion of a Job is compared as that of other kinds', () => {
    const deletion = { method: 'DELETE', path: '/apis/batch/v1/namespaces/judge/jobs/a' };
    const job: Answer = { status: 200, headers: {}, body: { kind: 'Job' } };
    const status: Answer = { status: 200, headers: {}, body: { kind: 'Status' } };
    expect(differences(deletion, job, status)).toBe(1);
  });

  it('errors of an apply may name another undeclared field, and nothing else', () => {
    const apply = { method: 'PATCH', path: CONFIG_MAP, headers: { 'content-type': 'application/apply-patch+yaml' } };
    const failed = (text: string): Answer => ({
      status: 500,
      headers: {},
      body: { message: `failed to create typed patch object (judge/a; /v1, Kind=ConfigMap): ${text}` },
    });
    const first = failed('.x: field not declared in schema');
    const second = failed('errors:\n  .data: expected map, got 5\n  .y: field not declared in schema');
    expect(differences(apply, first, second)).toBe(0);
    expect(differences(apply, first, failed('.data: expected map, got 5'))).toBe(1);
    expect(differences(apply, failed('.data: expected map, got 5'), second)).toBe(1);
  });

  it('documentation of columns may differ, and their names may not', () => {
    const table = (column: Json): Answer => ({ status: 200, headers: {}, body: { columnDefinitions: [column] } });
    const list = { method: 'GET', path: '/api/v1/namespaces/judge/configmaps' };
    const column = { name: 'Name', description: 'a' };
    expect(differences(list, table(column), table({ ...column, description: 'b' }))).toBe(0);
    expect(differences(list, table(column), table({ ...column, name: 'NAME' }))).toBe(1);
  });

  it('a page of Events may lack only what the real server has more', () => {
    const page = (metadata: Json): Answer => ({ status: 200, headers: {}, body: { metadata } });
    const list = { method: 'GET', path: '/api/v1/namespaces/judge/events?limit=1' };
    const [some, more] = [
      { continue: 'OPAQUE', remainingItemCount: 1 },
      { continue: 'OPAQUE', remainingItemCount: 3 },
    ];
    expect(differences(list, page(more), page(some))).toBe(0);
    expect(differences(list, page(some), page({}))).toBe(0);
    expect(differences(list, page(some), page(more))).toBe(1);
    expect(differences(list, page({}), page(some))).toBe(2);
  });

  it('a list of Events in YAML may lack the Events of repair controllers, and nothing else', () => {
    const list = { method: 'GET', path: '/api/v1/namespaces/judge/events' };
    const yaml = (...items: readonly string[]): Answer => ({
      status: 200,
      headers: {},
      body: `apiVersion: v1\nitems:${items.length === 0 ? ' []' : ''}\n${items.join('')}kind: EventList\n`,
    });
    const own = '- kind: Event\n  metadata:\n    name: a\n';
    const repair = '- kind: Event\n  reportingController: ipallocator-repair-controller\n';
    expect(differences(list, yaml(own, repair), yaml(own))).toBe(0);
    expect(differences(list, yaml(repair), yaml())).toBe(0);
    expect(differences(list, yaml(own, repair), yaml())).toBe(1);
  });
});
