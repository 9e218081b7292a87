import { priorityLevelErrors } from '../validation/cluster.ts';
import { admitFlowSchema } from '../admission/flow-control.ts';
import { listAt } from '../cells.ts';
import { ageColumn, nameColumn, numberColumn, textColumn } from '../columns.ts';
import type { KindRow } from '../kind-row.ts';
import { valueAt } from '../resource-type.ts';

const FLOW_CONTROL = 'flowcontrol.apiserver.k8s.io/v1';

/** API priority and fairness. The objects are stored, and have no effect on requests. */
export const flowControlKinds: readonly KindRow[] = [
  {
    apiVersion: FLOW_CONTROL,
    kind: 'FlowSchema',
    plural: 'flowschemas',
    admit: admitFlowSchema,
    scope: 'Cluster',
    statusSubresource: true,
    statusMetadata: [],
    countsGeneration: true,
    columns: [
      nameColumn,
      textColumn('PriorityLevel', 'spec.priorityLevelConfiguration.name'),
      { ...numberColumn('MatchingPrecedence', 'spec.matchingPrecedence'), type: 'string' },
      textColumn('DistinguisherMethod', 'spec.distinguisherMethod.type', '<none>'),
      ageColumn,
      {
        name: 'MissingPL',
        type: 'string',
        cell: (schema) => {
          const dangling = listAt(schema, 'status.conditions').find((each) => valueAt(each, 'type') === 'Dangling');
          return valueAt(dangling, 'status') ?? '?';
        },
      },
    ],
  },
  {
    apiVersion: FLOW_CONTROL,
    kind: 'PriorityLevelConfiguration',
    validate: priorityLevelErrors,
    plural: 'prioritylevelconfigurations',
    scope: 'Cluster',
    statusSubresource: true,
    statusMetadata: [],
    countsGeneration: true,
    columns: [
      nameColumn,
      textColumn('Type', 'spec.type'),
      textColumn('NominalConcurrencyShares', 'spec.limited.nominalConcurrencyShares', '<none>'),
      textColumn('Queues', 'spec.limited.limitResponse.queuing.queues', '<none>'),
      textColumn('HandSize', 'spec.limited.limitResponse.queuing.handSize', '<none>'),
      textColumn('QueueLengthLimit', 'spec.limited.limitResponse.queuing.queueLengthLimit', '<none>'),
      ageColumn,
    ],
  },
];
