import { k8s, type StructuralSchema } from '@mcr/kinds';

/**
 * Types of Kubernetes that are recognised by their fields wherever they are. The types of the fields in them, such as that of
 * `livenessProbe`, follow from the type of the object.
 */
const RECOGNISED = [
  ...['Affinity', 'Container', 'EnvVar', 'JobSpec', 'LabelSelector', 'PersistentVolumeClaimSpec', 'PodSpec', 'Probe'],
  ...['ResourceRequirements', 'Toleration', 'TopologySpreadConstraint', 'Volume', 'VolumeMount'],
];

/** Types with the fields `metadata` and `spec`, by the type of `spec`. */
const TEMPLATES: Readonly<Record<string, string>> = {
  JobSpec: 'JobTemplateSpec',
  PersistentVolumeClaimSpec: 'PersistentVolumeClaimTemplate',
  PodSpec: 'PodTemplateSpec',
};

/** Share of the fields of both that two types have in common, from which they are releases of one type. */
const MIN_COMMON = 3 / 4;

/**
 * Returns the name that Kubernetes has for the type of an object, such as `PodSpec`. The schema may be of another release of
 * Kubernetes, which has other fields.
 */
export function kubernetesType({ properties }: StructuralSchema): string | undefined {
  if (!properties) return undefined;
  const { spec, metadata, ...others } = properties;
  if (spec && metadata && Object.keys(others).length === 0) return TEMPLATES[kubernetesType(spec) ?? ''];
  const names = Object.keys(properties);
  return RECOGNISED.find((type) => commonShare(names, Object.keys(k8s.fieldTypes(type))) >= MIN_COMMON);
}

function commonShare(left: readonly string[], right: readonly string[]): number {
  const common = left.filter((name) => right.includes(name)).length;
  return common / (left.length + right.length - common);
}
