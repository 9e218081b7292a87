export interface ErrorDescription {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/** Causes within causes that are written; what is deeper is a mistake, or a cycle. */
const MAX_DEPTH = 8;

/**
 * What a log line says of an error: its name and message, and those of its causes. Nothing else of it, because other
 * properties of an error may hold the request, and with it a credential.
 */
export function describeError(error: unknown, { stacks }: { readonly stacks: boolean }): unknown {
  const describe = (value: unknown, depth: number): unknown => {
    if (!(value instanceof Error)) return typeof value === 'string' ? value : String(value);
    const { name, message, stack, cause } = value;
    const deeper = depth < MAX_DEPTH;
    return {
      name,
      message,
      ...(stacks && stack !== undefined && { stack }),
      ...(deeper && cause !== undefined && { cause: describe(cause, depth + 1) }),
      ...(deeper &&
        value instanceof AggregateError && { errors: value.errors.map((each) => describe(each, depth + 1)) }),
    } satisfies ErrorDescription;
  };
  return describe(error, 0);
}
