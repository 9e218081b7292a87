import { type ModuleText, range, UnexpectedCodeError } from './module-text.ts';

/**
 * Adds `await <callee>(<parameter>);` to the end of a function, with the name of its first parameter.
 *
 * @throws {UnexpectedCodeError} if the function is not async, has no parameter, or ends with another statement than a call.
 */
export function appendCall(module: ModuleText, functionName: string, callee: string): void {
  const found = module.functionNamed(functionName);
  const [parameter] = found.params;
  const { body } = found;
  if (!found.async || parameter?.type !== 'Identifier' || body.type !== 'BlockStatement')
    throw new UnexpectedCodeError(`expected "async function ${functionName}(manager) { ... }"`);
  const last = body.body.at(-1);
  if (last?.type === 'ReturnStatement' || last?.type === 'ThrowStatement')
    throw new UnexpectedCodeError(`the function ${functionName} ends with "${module.source(last)}"`);
  const call = `await ${callee}(${parameter.name});`;
  if (last) module.insertLine(range(last).end, `${module.indent(last)}${call}`);
  else module.replace(range(body).end - 1, range(body).end - 1, `\n  ${call}\n`);
}
