import { Choices } from './choices.ts';
import { NAMESPACE } from './examples.ts';
import type { Operation } from './operation.ts';
import { JSON_TYPE } from './operation.ts';
import { onBuiltIn } from './operations/built-in.ts';
import { customKinds, DEFINITIONS, onCustom, onDefinition } from './operations/custom.ts';
import { onAccess, onServer } from './operations/server.ts';
import { onWatch } from './operations/watches.ts';

/** Requests that prepare a server, and the paths that must then be served. */
export const preparation: {
  readonly operations: readonly Operation[];
  readonly served: readonly string[];
} = {
  operations: [
    ...[NAMESPACE, 'other'].map((name): Operation => ({
      method: 'POST',
      path: '/api/v1/namespaces',
      headers: JSON_TYPE,
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    })),
    ...customKinds.map(({ definition }): Operation => ({
      method: 'POST',
      path: DEFINITIONS,
      headers: JSON_TYPE,
      body: definition,
    })),
  ],
  served: customKinds.flatMap(({ served }) => served),
};

/** Yields operations without end. The same seed yields the same operations. */
export function* script(seed: number): Generator<Operation, never> {
  const choices = new Choices(seed);
  const themes = [
    [70, onBuiltIn],
    [18, onCustom],
    [6, onDefinition],
    [4, onServer],
    [3, onAccess],
    [2, onWatch],
  ] as const;
  for (;;) yield choices.weighted(themes)(choices);
}
