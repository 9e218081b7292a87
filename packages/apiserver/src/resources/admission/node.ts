import { listAt } from '../cells.ts';
import { child } from '../defaulting/table.ts';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';

/** Drops fields of features that were removed, and taints a new node until it is ready (admission plugin TaintNodesByCondition). */
export function admitNode({ object, previous }: Change): void {
  const spec = child(object, 'spec');
  if (valueAt(previous, 'spec.configSource') === undefined) delete spec['configSource'];
  if (previous) return;
  const taints = listAt(spec, 'taints');
  const isTainted = taints.some(
    (taint) => valueAt(taint, 'key') === NOT_READY && valueAt(taint, 'effect') === 'NoSchedule',
  );
  if (!isTainted) spec['taints'] = [...taints, { key: NOT_READY, effect: 'NoSchedule' }];
}
