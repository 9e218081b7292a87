import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { shutdownSignal } from './shutdown-signal.ts';

describe('shutdownSignal', () => {
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('MG-7: aborts at the first %s, and exits with %i at the second', (name, code) => {
    const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    using shutdown = shutdownSignal();
    process.emit(name, name);
    expect(shutdown.signal.reason).toMatchObject({ message: `received ${name}` });
    expect(exit).not.toHaveBeenCalled();
    process.emit(name, name);
    expect(exit).toHaveBeenCalledWith(code);
  });

  it('MG-7: stops listening when it is disposed', () => {
    const listeners = () => [process.listenerCount('SIGINT'), process.listenerCount('SIGTERM')];
    const before = listeners();
    shutdownSignal()[Symbol.dispose]();
    expect(listeners()).toEqual(before);
  });
});
