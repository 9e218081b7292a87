import type { GeneratedFile } from '../files/generated-files.ts';
import type { Project } from '../project/project.ts';
import { programFiles } from './kustomize.ts';
import { fileText, NOTE, valueText } from './manifest.ts';
import { definitionsOf } from './objects/definitions.ts';
import { monitoringOf } from './objects/network.ts';
import type { Target } from './target.ts';

/** Words in the manifests that become expressions of Helm. No object has them otherwise. */
const PLACEHOLDER = {
  namespace: 'mcr-helm-namespace',
  image: 'mcr-helm-image',
  replicas: 'mcr-helm-replicas',
  resources: 'mcr-helm-resources',
} as const;

/** Returns the files of the chart. Its objects are those of the kustomize base, without the namespace. */
export function chartFiles(project: Project, target: Target): GeneratedFile[] {
  const { name, image, replicas, resources } = target;
  const placed: Target = { name, ...PLACEHOLDER };
  const chart = {
    apiVersion: 'v2',
    name,
    description: `The program ${name}`,
    type: 'application',
    // The version of the chart. Charts that differ need different versions only in a registry of charts.
    version: '0.1.0',
  };
  const monitoring = monitoringOf(project, placed);
  const values = { image, replicas, resources, ...(monitoring.length > 0 && { serviceMonitor: false }) };
  return [
    { path: 'chart/Chart.yaml', text: valueText(chart) },
    { path: 'chart/values.yaml', text: valueText(values) },
    { path: 'chart/values.schema.json', text: `${JSON.stringify(valuesSchema(project, values), null, 2)}\n` },
    ...definitionsOf(project, 'local').map(({ name: file, manifest }) => ({
      path: `chart/crds/${file}.yaml`,
      text: fileText([manifest]),
    })),
    ...programFiles(project, placed).map(([path, manifests]) => ({
      path: `chart/templates/${path}`,
      text: template(fileText(manifests)),
    })),
    ...(monitoring.length === 0
      ? []
      : [
          {
            path: 'chart/templates/service-monitor.yaml',
            text: onlyIf('.Values.serviceMonitor', template(fileText(monitoring))),
          },
        ]),
  ];
}

/** Returns the JSON Schema of the values, by which Helm refuses unknown and wrong ones. */
function valuesSchema({ replicas }: Project, values: object): object {
  const properties = {
    image: { type: 'string', minLength: 1 },
    // Replicas that neither elect a leader nor divide the clusters would all write the same objects.
    replicas: { type: 'integer', minimum: 0, ...(replicas === 'single' && { maximum: 1 }) },
    resources: { type: 'object' },
    serviceMonitor: { type: 'boolean' },
    // Helm gives it to the charts that a chart depends on.
    global: { type: 'object' },
  };
  return {
    $comment: NOTE,
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).filter(([name]) => name === 'global' || Object.hasOwn(values, name)),
    ),
    required: ['image', 'replicas'],
    additionalProperties: false,
  };
}

/** Replaces the placeholders by expressions. Braces of the program, for example in a comment, remain braces. */
function template(text: string): string {
  return text
    .replaceAll('{{', '{{ "{{" }}')
    .replaceAll(PLACEHOLDER.namespace, '{{ .Release.Namespace | quote }}')
    .replaceAll(PLACEHOLDER.image, '{{ .Values.image | quote }}')
    .replaceAll(PLACEHOLDER.replicas, '{{ .Values.replicas }}')
    .replaceAll(
      new RegExp(`^( *)resources: ${PLACEHOLDER.resources}$`, 'gmu'),
      (_, indent: string) => `${indent}resources: {{- toYaml .Values.resources | nindent ${indent.length + 2} }}`,
    );
}

/** Keeps the first line, which marks the file. */
function onlyIf(condition: string, text: string): string {
  const end = text.indexOf('\n') + 1;
  return `${text.slice(0, end)}{{- if ${condition} }}\n${text.slice(end)}{{- end }}\n`;
}
