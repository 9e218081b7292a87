import { afterEach, describe, expect, it } from '@jest/globals';
import { logVariables } from './log-variables.ts';

describe('the log of a program of mcr dev', () => {
  const { MCR_LOG_FORMAT, FORCE_COLOR } = process.env;
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  };
  afterEach(() => {
    set('MCR_LOG_FORMAT', MCR_LOG_FORMAT);
    set('FORCE_COLOR', FORCE_COLOR);
  });

  it('WB-2: is readable on a terminal, in colours if it has them, unless the variables say otherwise', () => {
    set('MCR_LOG_FORMAT', undefined);
    set('FORCE_COLOR', undefined);
    const output = { print: () => undefined, warn: () => undefined, signal: new AbortController().signal };
    expect(logVariables(output)).toEqual({});
    expect(logVariables({ ...output, isTerminal: true })).toEqual({ MCR_LOG_FORMAT: 'pretty' });
    const colored = { ...output, isTerminal: true, isColored: true };
    expect(logVariables(colored)).toEqual({ MCR_LOG_FORMAT: 'pretty', FORCE_COLOR: '1' });
    set('MCR_LOG_FORMAT', 'json');
    set('FORCE_COLOR', '0');
    expect(logVariables(colored)).toEqual({});
  });
});
