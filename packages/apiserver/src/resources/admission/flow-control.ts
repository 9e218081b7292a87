import { scalarText, valueAt } from '../resource-type.ts';
import type { Change } from '../resource-type.ts';
import { now } from '../timestamp.ts';

/** Sets the condition `Dangling` of the FlowSchemas of every cluster. No controller sets that of others. */
export function admitFlowSchema({ object, previous }: Change): void {
  const isBuiltIn = object.metadata.annotations?.['apf.kubernetes.io/autoupdate-spec'] === 'true';
  if (previous || !isBuiltIn) return;
  const name = scalarText(valueAt(object, 'spec.priorityLevelConfiguration.name'));
  const message = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(name)} and it exists`;
  const condition = { type: 'Dangling', status: 'False', lastTransitionTime: now(), reason: 'Found', message };
  object['status'] = { conditions: [condition] };
}
