import { describe, expect, it } from '@jest/globals';
import { failuresIn } from './failures.mjs';

const passed = { fullName: 'a queue keeps its order', status: 'passed', failureMessages: [] };

describe('failures in results of Jest', () => {
  it('names each failed test, with the first lines of its error', () => {
    const failed = {
      fullName: 'a queue ends',
      status: 'failed',
      failureMessages: ['Error: \u001b[2mexpect(\u001b[22mreceived).toBe(1)\n\nFound: 2\n    at queue.ts:3', 'another'],
    };
    const testResults = [
      { name: '/queue.test.ts', status: 'failed', message: '', assertionResults: [passed, failed] },
      { name: '/store.test.ts', status: 'passed', message: '', assertionResults: [passed] },
    ];
    expect(failuresIn({ testResults })).toEqual(['  a queue ends\n    Error: expect(received).toBe(1)\n    Found: 2']);
  });

  it('names a file that could not be loaded, with the reason', () => {
    const message = '  ● Test suite failed to run\n\n    Cannot find module ./gone.ts\n\n      at resolve';
    const testResults = [{ name: '/queue.test.ts', status: 'failed', message, assertionResults: [] }];
    expect(failuresIn({ testResults })).toEqual(['  /queue.test.ts\n    Cannot find module ./gone.ts']);
  });

  it('is empty if all tests have passed', () => {
    const testResults = [{ name: '/queue.test.ts', status: 'passed', message: '', assertionResults: [passed] }];
    expect(failuresIn({ testResults })).toEqual([]);
  });
});
