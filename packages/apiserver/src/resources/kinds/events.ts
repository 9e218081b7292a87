import { ageCell, textColumn } from '../columns.ts';
import { eventErrors, newEventErrors } from '../validation/event.ts';
import { eventsV1View, setWrittenEventFields } from '../event.ts';
import type { Column } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import type { KindRow } from '../kind-row.ts';

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const involvedObjectFields = Object.fromEntries(
  REFERENCE.map((field) => [`involvedObject.${field}`, `involvedObject.${field}`]),
);

/** Labels of field selectors in events.k8s.io. (Upstream: `pkg/apis/events/v1`.) */
const labelsInEvents = {
  ...Object.fromEntries(REFERENCE.map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
  reason: 'reason',
  reportingController: 'reportingComponent',
  type: 'type',
};

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
  source: { path: 'source.component', otherwise: 'reportingComponent', absent: '' },
  type: 'type',
};

/** Events, which two groups serve. */
export const eventKinds: readonly KindRow[] = [
  {
    apiVersion: 'v1',
    kind: 'Event',
    nameRule: 'path segment',
    validate: eventErrors,
    plural: 'events',
    shortNames: ['ev'],
    createsOnUpdate: true,
    fields: eventFields,
    columns: eventColumns,
    prepare: setWrittenEventFields,
  },
  {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    nameRule: 'path segment',
    validate: newEventErrors,
    plural: 'events',
    shortNames: ['ev'],
    storage: 'events',
    schemaType: 'EventsEvent',
    createsOnUpdate: true,
    fields: eventFields,
    fieldLabels: labelsInEvents,
    columns: eventColumns,
    prepare: setWrittenEventFields,
    view: eventsV1View,
  },
];
