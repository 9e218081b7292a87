import type { Output } from '../command/output.ts';

/** Returns the variables with which a program writes its log for a person on the terminal, also if a pipe leads there. */
export function logVariables({ isTerminal = false, isColored = false }: Output): Record<string, string> {
  const { MCR_LOG_FORMAT, FORCE_COLOR } = process.env;
  return {
    ...(isTerminal && MCR_LOG_FORMAT === undefined && { MCR_LOG_FORMAT: 'pretty' }),
    ...(isColored && FORCE_COLOR === undefined && { FORCE_COLOR: '1' }),
  };
}
