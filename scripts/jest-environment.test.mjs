import { performance, PerformanceObserver } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

describe('the environment of a suite', () => {
  const { observe } = PerformanceObserver.prototype;
  let Environment;

  beforeAll(async () => {
    ({ default: Environment } = await import('./jest-environment.mjs'));
  });

  // The worker keeps the prototype, and would keep this suite with it.
  afterAll(() => {
    PerformanceObserver.prototype.observe = observe;
  });

  it('ends the performance observers that a suite leaves', async () => {
    const options = { globalConfig: {}, projectConfig: { globals: {}, testEnvironmentOptions: {}, fakeTimers: {} } };
    const environment = new Environment(options, {});
    const observer = new PerformanceObserver(() => undefined);
    observer.observe({ entryTypes: ['mark'] });
    performance.mark('before the end');
    await environment.teardown();
    performance.mark('after the end');
    expect(observer.takeRecords()).toEqual([]);
  });
});
