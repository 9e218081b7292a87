import type { CronJob, Deployment, Pod } from '@mcr/client';
import * as z from 'zod';
import { compileTypes, fieldTypesOf } from './notation.ts';
import { TYPE_TABLE } from './type-table.ts';
import { listMap, time } from './values.ts';

/** The specification of a Pod. */
export type PodSpec = NonNullable<Pod['spec']>;
/** A Pod to create: metadata and specification. */
export type PodTemplateSpec = NonNullable<Deployment['spec']>['template'];
/** A Job to create: metadata and specification. */
export type JobTemplateSpec = NonNullable<CronJob['spec']>['jobTemplate'];
/** A container of a Pod. */
export type Container = PodSpec['containers'][number];
/** A variable of the environment of a container. */
export type EnvVar = NonNullable<Container['env']>[number];
/** Requests and limits of a container. */
export type ResourceRequirements = NonNullable<Container['resources']>;
/** Rules for the nodes of a Pod. */
export type Affinity = NonNullable<PodSpec['affinity']>;
/** A taint that a Pod tolerates. */
export type Toleration = NonNullable<PodSpec['tolerations']>[number];
/** A rule for the distribution of Pods. */
export type TopologySpreadConstraint = NonNullable<PodSpec['topologySpreadConstraints']>[number];
/** A volume of a Pod. */
export type Volume = NonNullable<PodSpec['volumes']>[number];
/** The name of an object in the same namespace. */
export type LocalObjectReference = NonNullable<PodSpec['imagePullSecrets']>[number];
/** A key of a Secret in the same namespace. */
export type SecretKeySelector = NonNullable<NonNullable<EnvVar['valueFrom']>['secretKeyRef']>;
/** A key of a ConfigMap in the same namespace. */
export type ConfigMapKeySelector = NonNullable<NonNullable<EnvVar['valueFrom']>['configMapKeyRef']>;
/** A selection of objects by their labels. */
export type LabelSelector = NonNullable<Deployment['spec']>['selector'];

/** A reference to an object. */
export interface ObjectReference {
  apiVersion?: string;
  fieldPath?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  resourceVersion?: string;
  uid?: string;
}

/** One aspect of an object's state. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** Generation of the object that the condition is based on. */
  observedGeneration?: number;
  /** RFC 3339. */
  lastTransitionTime: string;
  /** Reason in one word, such as `MinimumReplicasAvailable`. */
  reason: string;
  message: string;
}

const schemaOf = compileTypes(TYPE_TABLE);

/** The table has the fields of the model types, which are generated from the same API. */
function typed<Value>(name: string): z.ZodType<Value, Value> {
  return schemaOf(name) as z.ZodType<Value, Value>;
}

/**
 * Returns the fields of a type of Pod and Job templates in Kubernetes 1.35, and the names of the types of their values: those of
 * `PodSpec` have `containers: 'Container'`. Returns none for a type that these templates do not have.
 */
export const fieldTypes = (type: string): Readonly<Record<string, string>> => fieldTypesOf(TYPE_TABLE, type);

/** A template of Pods, with every field of Kubernetes 1.35. The server drops fields of later releases. */
export const podTemplateSpec = (): z.ZodType<PodTemplateSpec, PodTemplateSpec> => typed('PodTemplateSpec');
/** A template of Jobs. See {@link podTemplateSpec}. */
export const jobTemplateSpec = (): z.ZodType<JobTemplateSpec, JobTemplateSpec> => typed('JobTemplateSpec');
/** The specification of a Pod. See {@link podTemplateSpec}. */
export const podSpec = (): z.ZodType<PodSpec, PodSpec> => typed('PodSpec');
/** A container of a Pod. */
export const container = (): z.ZodType<Container, Container> => typed('Container');
/** A variable of the environment of a container. */
export const envVar = (): z.ZodType<EnvVar, EnvVar> => typed('EnvVar');
/** Requests and limits of a container. */
export const resourceRequirements = (): z.ZodType<ResourceRequirements, ResourceRequirements> =>
  typed('ResourceRequirements');
/** Rules for the nodes of a Pod. */
export const affinity = (): z.ZodType<Affinity, Affinity> => typed('Affinity');
/** A taint that a Pod tolerates. */
export const toleration = (): z.ZodType<Toleration, Toleration> => typed('Toleration');
/** A rule for the distribution of Pods. */
export const topologySpreadConstraint = (): z.ZodType<TopologySpreadConstraint, TopologySpreadConstraint> =>
  typed('TopologySpreadConstraint');
/** A volume of a Pod. */
export const volume = (): z.ZodType<Volume, Volume> => typed('Volume');
/** The name of an object in the same namespace. */
export const localObjectReference = (): z.ZodType<LocalObjectReference, LocalObjectReference> =>
  typed('LocalObjectReference');
/** A key of a Secret in the same namespace. */
export const secretKeySelector = (): z.ZodType<SecretKeySelector, SecretKeySelector> => typed('SecretKeySelector');
/** A key of a ConfigMap in the same namespace. */
export const configMapKeySelector = (): z.ZodType<ConfigMapKeySelector, ConfigMapKeySelector> =>
  typed('ConfigMapKeySelector');
/** A selection of objects by their labels. */
export const labelSelector = (): z.ZodType<LabelSelector, LabelSelector> => typed('LabelSelector');
/** A reference to an object of any kind. */
export const objectReference = (): z.ZodType<ObjectReference, ObjectReference> => typed('ObjectReference');

/** One aspect of an object's state (API conventions: `Condition`). */
export function condition(): z.ZodType<Condition, Condition> {
  // Objects come from JSON, which has no undefined fields.
  return conditionObject() as z.ZodType<Condition, Condition>;
}

/** The conditions of an object: a list map by `type`. */
export function conditions(): z.ZodArray<z.ZodType<Condition, Condition>> {
  return listMap(condition(), ['type']);
}

function conditionObject() {
  return z.object({
    type: z
      .string()
      .max(316)
      .regex(
        /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/,
      )
      .describe('Type of the condition in CamelCase or in foo.example.com/CamelCase.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Status of the condition.'),
    observedGeneration: z.int().min(0).optional().describe('Generation of the object that the condition is based on.'),
    lastTransitionTime: time().describe('Time of the last change of the status.'),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
      .describe('Reason of the last change of the status, in CamelCase.'),
    message: z.string().max(32768).describe('Details of the last change of the status. May be empty.'),
  });
}
