// The Jest environment of every suite. It ends the performance observers that the modules of a suite have started: Node.js
// keeps them and everything that they can reach, so that a worker would keep the modules of all suites that it ran.
import { PerformanceObserver } from 'node:perf_hooks';
import { TestEnvironment } from 'jest-environment-node';

const observers = new Set();
const { observe } = PerformanceObserver.prototype;

PerformanceObserver.prototype.observe = function (...options) {
  observers.add(this);
  return observe.apply(this, options);
};

export default class extends TestEnvironment {
  async teardown() {
    for (const observer of observers) observer.disconnect();
    observers.clear();
    await super.teardown();
  }
}
