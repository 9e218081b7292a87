import {
  type Expression,
  type FunctionNode,
  type ModuleText,
  type ObjectNode,
  propertyOf,
  range,
  UnexpectedCodeError,
} from './module-text.ts';

const MULTI = { name: 'createMultiProvider', from: '@mcr/provider-multi' } as const;

/** A provider that {@link addProvider} adds to the fleet. */
export interface NewProvider {
  /** Prefix of its clusters, if there are several providers. */
  readonly prefix: string;
  /** Expression that creates it. */
  readonly expression: string;
}

/**
 * Adds a provider to the options that the function `fleet` returns. Several ones are combined.
 *
 * @returns the prefix that the previous only provider gets, if there was one.
 * @throws {UnexpectedCodeError} if the function returns something else, or the prefix is taken.
 */
export function addProvider(module: ModuleText, { prefix, expression }: NewProvider): string | undefined {
  const options = returnedObject(module.functionNamed('fleet'));
  const property = propertyOf(options, 'provider');
  if (!property) {
    if (options.properties.some(({ type }) => type === 'SpreadElement'))
      throw new UnexpectedCodeError('the function fleet takes its options from elsewhere');
    module.addProperty(options, `provider: ${expression}`);
    return undefined;
  }
  const value = property.type === 'ObjectProperty' ? property.value : undefined;
  const callee = value?.type === 'CallExpression' && value.callee.type === 'Identifier' ? value.callee.name : '';
  if (value?.type === 'CallExpression' && callee === MULTI.name) {
    const providers = providersOf(value.arguments[0] as Expression | undefined);
    if (propertyOf(providers, prefix)) throw new UnexpectedCodeError(`the prefix ${prefix} is taken`);
    module.addProperty(providers, `${prefix}: ${expression}`);
    return undefined;
  }
  const [, name] = /^(?:create)?(\w+)Provider$/u.exec(callee) ?? [];
  if (!value || name === undefined)
    throw new UnexpectedCodeError('expected a provider such as "provider: createFileProvider({ ... })"');
  const present = name.charAt(0).toLowerCase() + name.slice(1);
  if (present === prefix) throw new UnexpectedCodeError(`the fleet has a provider ${prefix} already`);
  const indent = module.indent(property);
  const { start, end } = range(value);
  const lines = [
    `${MULTI.name}({`,
    '  providers: {',
    ...[`${present}: ${module.source(value)},`, `${prefix}: ${expression},`].map((line) => `    ${line}`),
    '  },',
    '})',
  ];
  module.addImport(MULTI.name, MULTI.from);
  module.replace(start, end, lines.join(`\n${indent}`));
  return present;
}

function returnedObject({ body }: FunctionNode): ObjectNode {
  const last = body.type === 'BlockStatement' ? body.body.at(-1) : undefined;
  const value = body.type === 'BlockStatement' ? last?.type === 'ReturnStatement' && last.argument : body;
  if (value && value.type === 'ObjectExpression') return value;
  throw new UnexpectedCodeError('expected a function fleet that returns "{ provider: ... }"');
}

function providersOf(options: Expression | undefined): ObjectNode {
  const property = options?.type === 'ObjectExpression' ? propertyOf(options, 'providers') : undefined;
  const value = property?.type === 'ObjectProperty' ? property.value : undefined;
  if (value?.type === 'ObjectExpression') return value;
  throw new UnexpectedCodeError('expected "createMultiProvider({ providers: { ... } })"');
}
