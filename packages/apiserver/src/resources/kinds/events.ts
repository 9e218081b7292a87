import { ageCell, nameColumn, textColumn } from '../columns.ts';
import { eventErrors, newEventErrors } from '../validation/event.ts';
import { eventsV1View, setWrittenEventFields } from '../event.ts';
import type { Column } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import type { ApiObject } from '../../storage/stored-object.ts';
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

const wide = { type: 'string', priority: 1 } as const;

/** Returns the first text at the paths that is not empty. */
function firstText(event: ApiObject, ...paths: readonly string[]): string {
  return paths.map((path) => scalarText(valueAt(event, path))).find((text) => text !== '') ?? '';
}

function firstSeen(event: ApiObject): string {
  return ageCell(valueAt(event, 'firstTimestamp') ?? valueAt(event, 'eventTime'));
}

function lastSeen(event: ApiObject): string {
  if (valueAt(event, 'series') !== undefined) return ageCell(valueAt(event, 'series.lastObservedTime'));
  const last = valueAt(event, 'lastTimestamp') ?? undefined;
  return last === undefined ? firstSeen(event) : ageCell(last);
}

const eventColumns: readonly Column[] = [
  { name: 'Last Seen', type: 'string', cell: lastSeen },
  textColumn('Type', 'type'),
  textColumn('Reason', 'reason'),
  {
    name: 'Object',
    type: 'string',
    cell(event) {
      const kind = firstText(event, 'involvedObject.kind').toLowerCase();
      const name = firstText(event, 'involvedObject.name');
      return name === '' ? kind : `${kind}/${name}`;
    },
  },
  {
    name: 'Subobject',
    ...wide,
    cell: (event) => firstText(event, 'involvedObject.fieldPath'),
  },
  {
    name: 'Source',
    ...wide,
    cell(event) {
      const component = firstText(event, 'source.component', 'reportingComponent');
      const instance = firstText(event, 'source.host', 'reportingInstance');
      return instance === '' ? component : `${component}, ${instance}`;
    },
  },
  { name: 'Message', type: 'string', cell: (event) => firstText(event, 'message').trim() },
  { name: 'First Seen', ...wide, cell: firstSeen },
  {
    name: 'Count',
    ...wide,
    cell: (event) => valueAt(event, 'series.count') ?? (valueAt(event, 'count') || 1),
  },
  { ...nameColumn, priority: 1 },
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
    placesMetadataErrors: true,
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
    nameRule: 'subdomain',
    validate: newEventErrors,
    placesMetadataErrors: true,
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
