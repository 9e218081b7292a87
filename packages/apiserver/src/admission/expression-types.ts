import type { CelType } from '../cel/types.ts';
import { BOOL, DYN, INT, listOf, mapOf, STRING, TIMESTAMP } from '../cel/types.ts';

function objectType(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return { kind: 'object', name: `kubernetes.${name}`, params: [], fields: new Map(Object.entries(fields)) };
}

const texts = listOf(STRING);
const textMap = mapOf(STRING, STRING);

const groupVersionKind = objectType('GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const groupVersionResource = objectType('GroupVersionResource', { group: STRING, version: STRING, resource: STRING });

/** The variable `request` of expressions. (Upstream: `BuildRequestType`.) */
export const requestType: CelType = objectType('AdmissionRequest', {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: STRING,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: objectType('UserInfo', { username: STRING, uid: STRING, groups: texts, extra: mapOf(STRING, texts) }),
  dryRun: BOOL,
  options: DYN,
});

/** The variable `namespaceObject` of expressions. (Upstream: `BuildNamespaceType`.) */
export const namespaceType: CelType = objectType('Namespace', {
  metadata: objectType('NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: textMap,
    annotations: textMap,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: texts,
  }),
  spec: objectType('NamespaceSpec', { finalizers: texts }),
  status: objectType('NamespaceStatus', {
    conditions: listOf(
      objectType('NamespaceCondition', {
        status: STRING,
        type: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING,
      }),
    ),
    phase: STRING,
  }),
});
