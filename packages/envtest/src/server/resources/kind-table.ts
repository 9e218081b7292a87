import type { Scope } from '@mcr/client';
import { parseApiVersion } from '@mcr/client';
import { ageCell, ageColumn, countColumn, nameColumn, numberColumn, textColumn } from './columns.ts';
import { builtInSchema } from '../schema/built-in-schema.ts';
import { configMapErrors } from './config-map.ts';
import { customResourceDefinitionErrors, prepareCustomResourceDefinition } from './custom-resource-definition.ts';
import { eventsV1View } from './event.ts';
import { prepareNamespace } from './namespace.ts';
import type { Schema } from '../schema/schema.ts';
import type { Column, ResourceType } from './resource-type.ts';
import { scalarText, valueAt } from './resource-type.ts';
import { prepareSecret, secretErrors } from './secret.ts';

/** What a row has to say of its kind; the rest has defaults. */
interface Row
  extends
    Pick<ResourceType, 'kind' | 'plural'>,
    Partial<
      Pick<
        ResourceType,
        | 'shortNames'
        | 'categories'
        | 'storage'
        | 'statusSubresource'
        | 'countsGeneration'
        | 'createsOnUpdate'
        | 'nameRule'
        | 'fields'
        | 'immutable'
        | 'columns'
        | 'prepare'
        | 'validate'
        | 'view'
      >
    > {
  readonly apiVersion: string;
  /** Default: Namespaced. */
  readonly scope?: Scope;
  /** Its name in the tables of types. Default: `kind`. */
  readonly schemaType?: string;
}

const involvedObjectFields = Object.fromEntries(
  ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => [
    `involvedObject.${field}`,
    `involvedObject.${field}`,
  ]),
);

const eventColumns: readonly Column[] = [
  {
    name: 'Last Seen',
    type: 'string',
    cell: (event) =>
      ageCell(valueAt(event, 'lastTimestamp') ?? valueAt(event, 'eventTime') ?? event.metadata.creationTimestamp),
  },
  textColumn('Type', 'type'),
  textColumn('Reason', 'reason'),
  {
    name: 'Object',
    type: 'string',
    cell: (event) =>
      `${scalarText(valueAt(event, 'involvedObject.kind')).toLowerCase()}/${scalarText(valueAt(event, 'involvedObject.name'))}`,
  },
  textColumn('Message', 'message'),
];

const eventFields = {
  ...involvedObjectFields,
  reason: 'reason',
  reportingComponent: 'reportingComponent',
  type: 'type',
};

const rows: readonly Row[] = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    plural: 'namespaces',
    shortNames: ['ns'],
    scope: 'Cluster',
    statusSubresource: true,
    nameRule: 'label',
    fields: { 'status.phase': 'status.phase' },
    prepare: prepareNamespace,
    columns: [nameColumn, textColumn('Status', 'status.phase'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    plural: 'configmaps',
    shortNames: ['cm'],
    validate: configMapErrors,
    columns: [nameColumn, countColumn('Data', 'data', 'binaryData'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    plural: 'secrets',
    fields: { type: 'type' },
    immutable: ['type'],
    prepare: prepareSecret,
    validate: secretErrors,
    columns: [nameColumn, textColumn('Type', 'type'), countColumn('Data', 'data'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    shortNames: ['sa'],
    columns: [nameColumn, countColumn('Secrets', 'secrets'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    shortNames: ['quota'],
    statusSubresource: true,
    columns: [nameColumn, ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    shortNames: ['po'],
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    fields: {
      'spec.nodeName': 'spec.nodeName',
      'spec.restartPolicy': 'spec.restartPolicy',
      'spec.schedulerName': 'spec.schedulerName',
      'spec.serviceAccountName': 'spec.serviceAccountName',
      'spec.hostNetwork': 'spec.hostNetwork',
      'status.phase': 'status.phase',
      'status.podIP': 'status.podIP',
      'status.nominatedNodeName': 'status.nominatedNodeName',
    },
    prepare: ({ object, previous }) => {
      if (!previous) object['status'] = { phase: 'Pending' };
    },
    columns: [
      nameColumn,
      {
        name: 'Ready',
        type: 'string',
        cell: (pod) => {
          const containers = valueAt(pod, 'spec.containers');
          const statuses = valueAt(pod, 'status.containerStatuses');
          const ready = Array.isArray(statuses)
            ? statuses.filter((status) => valueAt(status, 'ready') === true).length
            : 0;
          return `${ready}/${Array.isArray(containers) ? containers.length : 0}`;
        },
      },
      {
        name: 'Status',
        type: 'string',
        cell: (pod) => (pod.metadata.deletionTimestamp ? 'Terminating' : valueAt(pod, 'status.phase')),
      },
      {
        name: 'Restarts',
        type: 'string',
        cell: (pod) => {
          const statuses = valueAt(pod, 'status.containerStatuses');
          const counts: unknown[] = Array.isArray(statuses)
            ? statuses.map((status) => valueAt(status, 'restartCount'))
            : [];
          return String(counts.reduce((sum: number, count) => sum + Number(count ?? 0), 0));
        },
      },
      ageColumn,
      { ...textColumn('IP', 'status.podIP', '<none>'), priority: 1 },
      { ...textColumn('Node', 'spec.nodeName', '<none>'), priority: 1 },
    ],
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    plural: 'events',
    shortNames: ['ev'],
    createsOnUpdate: true,
    fields: eventFields,
    columns: eventColumns,
  },
  {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    plural: 'events',
    shortNames: ['ev'],
    storage: 'events',
    schemaType: 'EventsEvent',
    createsOnUpdate: true,
    fields: eventFields,
    columns: eventColumns,
    view: eventsV1View,
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    plural: 'leases',
    createsOnUpdate: true,
    columns: [nameColumn, textColumn('Holder', 'spec.holderIdentity'), ageColumn],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    plural: 'deployments',
    shortNames: ['deploy'],
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    immutable: ['spec.selector'],
    prepare: ({ object }) => {
      const spec = object['spec'];
      if (typeof spec === 'object' && spec !== null && !('replicas' in spec)) object['spec'] = { replicas: 1, ...spec };
    },
    columns: [
      nameColumn,
      {
        name: 'Ready',
        type: 'string',
        cell: (deployment) =>
          `${scalarText(valueAt(deployment, 'status.readyReplicas') ?? 0)}/${scalarText(valueAt(deployment, 'spec.replicas') ?? 0)}`,
      },
      numberColumn('Up-to-date', 'status.updatedReplicas'),
      numberColumn('Available', 'status.availableReplicas'),
      ageColumn,
    ],
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    scope: 'Cluster',
    statusSubresource: true,
    countsGeneration: true,
    prepare: prepareCustomResourceDefinition,
    validate: customResourceDefinitionErrors,
    columns: [nameColumn, textColumn('Created At', 'metadata.creationTimestamp')],
  },
];

/** The kinds that every cluster is born with. A further one is one more row. */
export const builtInTypes: readonly ResourceType[] = rows.map(({ apiVersion, schemaType, ...row }) => {
  const { group, version } = parseApiVersion(apiVersion);
  let schema: Schema | undefined;
  return {
    group,
    version,
    singular: row.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    storage: group === '' ? row.plural : `${row.plural}.${group}`,
    builtIn: true,
    statusSubresource: false,
    countsGeneration: false,
    createsOnUpdate: false,
    nameRule: 'subdomain',
    fields: {},
    immutable: [],
    columns: [nameColumn, ageColumn],
    prepare: undefined,
    validate: undefined,
    view: undefined,
    ...row,
    /** Made when the first object is written: most clusters see few of the kinds. */
    get schema() {
      return (schema ??= builtInSchema(schemaType ?? row.kind));
    },
  };
});
