import type { ApiObject } from '../storage/stored-object.ts';
import type { Change, VersionView } from './resource-type.ts';

/** Fields with different names in the two event APIs: core `v1`, which is stored, and `events.k8s.io/v1`. */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

const toEvents = new Map(NAMES);
const toCore = new Map(NAMES.map(([core, events]) => [events, core]));

function rename(object: ApiObject, apiVersion: string, names: ReadonlyMap<string, string>): ApiObject {
  const fields = Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value] as const);
  return { ...(Object.fromEntries(fields) as ApiObject), apiVersion };
}

/** Events are one resource in two groups: an event written through one can be read through the other. */
export const eventsV1View: VersionView = {
  fromStored: (object) => {
    const { reportingController, reportingInstance, ...event } = rename(object, 'events.k8s.io/v1', toEvents);
    // Empty texts are absent in this version.
    return {
      ...event,
      ...(reportingController !== '' && { reportingController }),
      ...(reportingInstance !== '' && { reportingInstance }),
    };
  },
  toStored: (object) => rename(object, 'v1', toCore),
};

/** Fields that the Go type of an event writes even if they are empty. */
const WRITTEN: readonly (readonly [field: string, empty: unknown])[] = [
  ['source', {}],
  ['firstTimestamp', null],
  ['lastTimestamp', null],
  ['eventTime', null],
  ['reportingComponent', ''],
  ['reportingInstance', ''],
];

/** Sets the fields of an event that are never absent. */
export function setWrittenEventFields({ object }: Change): void {
  for (const [field, empty] of WRITTEN) if (object[field] === undefined) object[field] = empty;
}
