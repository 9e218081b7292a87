import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '../../storage/stored-object.ts';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';

/** Annotation with the number of versions that a template has had. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** The internal type has a number of its own, which the version of clients shows as an annotation. */
export function showTemplateGeneration(object: ApiObject): void {
  object.metadata.annotations = { [TEMPLATE_GENERATION]: '0', ...object.metadata.annotations };
}

/** Writes of subresources do not change the number. */
export function keepTemplateGeneration({ object, previous }: Change): void {
  const before = previous?.metadata.annotations?.[TEMPLATE_GENERATION] ?? '0';
  object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: before };
}

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
