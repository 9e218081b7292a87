import { describe, expect, it } from '@jest/globals';
import { requestInfo } from '../access/request-info.ts';
import { timeoutFault } from './request-timeout.ts';

const faultAt = (path: string, timeout: string): string | undefined =>
  timeoutFault(requestInfo('GET', path, new URLSearchParams(path.split('?')[1])), timeout);

describe('the timeout of a request', () => {
  it.each(['', '0', '5s', '-5s', '.5s', '1h2m3.5s', '10µs'])('K-24: may be %j', (timeout) => {
    expect(faultAt('/api/v1/nodes', timeout)).toBeUndefined();
  });

  it.each([
    ['5', 'missing unit in duration "5"'],
    ['1s2', 'missing unit in duration "1s2"'],
    ['1x', 'unknown unit "x" in duration "1x"'],
    ['abc', 'invalid duration "abc"'],
    ['.s', 'invalid duration ".s"'],
    ['-', 'invalid duration "-"'],
    ['99999999999h', 'invalid duration "99999999999h"'],
    ['"µ', 'invalid duration "\\"\\xc2\\xb5"'],
  ])('K-24: is refused in the words of kube-apiserver if it is %j', (timeout, fault) => {
    expect(faultAt('/healthz', timeout)).toBe(`invalid timeout specified in the request URL - time: ${fault}`);
  });

  it.each(['/api/v1/nodes?watch=true', '/api/v1/namespaces/default/pods/x/log'])(
    'K-24: is ignored by requests that last, such as %s',
    (path) => {
      expect(faultAt(path, '1x')).toBeUndefined();
    },
  );
});
