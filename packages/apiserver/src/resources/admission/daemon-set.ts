import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** Counts the changes of a DaemonSet's template in an annotation. */
export function admitDaemonSet({ object, previous }: Change): void {
  const before = Number(previous?.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
  const isChanged = !isDeepStrictEqual(valueAt(object, 'spec.template'), valueAt(previous, 'spec.template'));
  const annotations = {
    ...object.metadata.annotations,
    [TEMPLATE_GENERATION]: String(isChanged ? before + 1 : before),
  };
  object.metadata.annotations = annotations;
}
