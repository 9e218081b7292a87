import { describe, expect, it } from '@jest/globals';
import { requestInfo } from './request-info.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';

function nameIn(method: string, query: string): unknown {
  return requestInfo(method, SECRETS, new URLSearchParams(query));
}

describe('requestInfo', () => {
  it('K-21: takes a name from the field selector of a list or a watch only', () => {
    const query = 'fieldSelector=metadata.name%3Dkeep';
    expect(nameIn('GET', query)).toMatchObject({ verb: 'list', name: 'keep' });
    expect(nameIn('GET', `watch=1&${query}`)).toMatchObject({ verb: 'watch', name: 'keep' });
    expect(nameIn('POST', query)).toMatchObject({ verb: 'create', name: '' });
    expect(nameIn('DELETE', query)).toMatchObject({ verb: 'deletecollection', name: '' });
    expect(nameIn('PUT', query)).toMatchObject({ verb: 'update', name: '' });
  });

  it.each([
    ['metadata.name=ok,type=Opaque', 'ok'],
    ['type=Opaque,metadata.name==ok,', 'ok'],
    ['metadata.name=ok,metadata.name=no', 'no'],
    ['metadata.name!=ok', ''],
    ['metadata.name=ok,x', ''],
    ['metadata.name=a/b', ''],
    ['metadata.name=..', ''],
    ['metadata.name=o\\k', ''],
  ])('K-21: takes from the field selector %s the name "%s"', (selector, name) => {
    expect(nameIn('GET', `fieldSelector=${encodeURIComponent(selector)}`)).toMatchObject({ name });
  });

  it('K-21: takes no name from a query that is invalid', () => {
    const query = 'fieldSelector=metadata.name%3Dok';
    for (const other of ['limit=x', 'timeoutSeconds=x', 'labelSelector=a%20in']) {
      expect(nameIn('GET', `${query}&${other}`)).toMatchObject({ name: '' });
    }
  });

  it('K-21: names the method of a path outside of resources, and no verb for an unknown method', () => {
    const none = new URLSearchParams();
    expect(requestInfo('POST', '/metrics', none)).toEqual({ verb: 'post', path: '/metrics' });
    expect(requestInfo('HEAD', '/metrics', none)).toEqual({ verb: 'head', path: '/metrics' });
    expect(requestInfo('OPTIONS', `${SECRETS}/a`, none)).toMatchObject({ verb: '', name: 'a' });
    expect(requestInfo('HEAD', `${SECRETS}/a`, none)).toMatchObject({ verb: 'get', name: 'a' });
  });
});
