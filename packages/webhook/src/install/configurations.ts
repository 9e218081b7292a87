import type { ClusterName, Kind, KubernetesObject } from '@mcr/core';
import { kindText, parseApiVersion } from '@mcr/core/provider';
import type { AdmissionHandler } from '../admission/admission-handler.ts';
import { CONVERSION_PATH } from '../conversion/conversion-endpoint.ts';
import type { Conversion } from '../conversion/conversion.ts';
import { clusterPath } from '../server/cluster-path.ts';
import type { KindWebhook } from '../admission/kind-webhook.ts';
import type { LabelSelectorSettings } from '../admission/webhook-settings.ts';
import type { ParsedInstallOptions } from './installation-options.ts';

/** Namespaces that webhooks are never called for, so that a cluster can repair itself. */
const SYSTEM_NAMESPACES = ['kube-system'];

/** Input of the configurations of one cluster. */
export interface ConfigurationInput extends Pick<ParsedInstallOptions, 'url' | 'service' | 'failurePolicy'> {
  readonly excludedNamespaces: readonly string[];
  readonly cluster: ClusterName;
  /** CA bundle in PEM. Default: the CAs that the API server trusts. */
  readonly caBundle?: string | undefined;
}

/** A webhook of a configuration, as in `admissionregistration.k8s.io/v1`. */
export interface ConfiguredWebhook {
  readonly name: string;
  readonly admissionReviewVersions: string[];
  readonly sideEffects: string;
  readonly clientConfig: ClientConfig;
  readonly rules: {
    readonly apiGroups: string[];
    readonly apiVersions: string[];
    readonly operations: string[];
    readonly resources: string[];
  }[];
  readonly [setting: string]: unknown;
}

export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly port: number;
    readonly path: string;
  };
  readonly caBundle?: string;
}

/** Returns the webhooks of one type that a cluster gets. */
export function configuredWebhooks(
  webhooks: readonly KindWebhook<KubernetesObject>[],
  type: AdmissionHandler['type'],
  input: ConfigurationInput,
): ConfiguredWebhook[] {
  return webhooks.flatMap((webhook) =>
    webhook
      .handlers()
      .filter((handler) => handler.type === type)
      .map((handler) => configuredWebhook(webhook, handler, input)),
  );
}

function configuredWebhook(
  { kind, settings }: KindWebhook<KubernetesObject>,
  { type, path, rules }: AdmissionHandler,
  input: ConfigurationInput,
): ConfiguredWebhook {
  const { group, version } = parseApiVersion(kind.apiVersion);
  const plural = pluralOf(kind);
  const { namespaceSelector, reinvocationPolicy, ...others } = settings;
  return {
    // Three labels or more, as the API requires.
    name: `${type}.${version}.${plural}.${group || 'core'}`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    timeoutSeconds: 10,
    failurePolicy: input.failurePolicy ?? 'Fail',
    matchPolicy: 'Equivalent',
    // A copy without readonly arrays, for the types of the API.
    ...(structuredClone(others) as object),
    ...(type === 'mutating' && { reinvocationPolicy: reinvocationPolicy ?? 'Never' }),
    clientConfig: clientConfig(path, input),
    namespaceSelector: withoutNamespaces(namespaceSelector, input.excludedNamespaces),
    rules: rules.map(({ operations, subresource }) => ({
      apiGroups: [group],
      apiVersions: [version],
      operations: [...operations],
      resources: [subresource === undefined ? plural : `${plural}/${subresource}`],
      scope: '*',
    })),
  };
}

/** Returns a merge patch of the `spec.conversion` of a CustomResourceDefinition, which removes what another program wrote. */
export function conversionPatch(input: ConfigurationInput): object {
  const absent = { url: null, service: null, caBundle: null };
  return {
    strategy: 'Webhook',
    webhook: {
      conversionReviewVersions: ['v1'],
      clientConfig: { ...absent, ...clientConfig(CONVERSION_PATH, input) },
    },
  };
}

/** Returns the name of the CustomResourceDefinition of a conversion. */
export function definitionName({ kind }: Conversion): string {
  return `${pluralOf(kind)}.${parseApiVersion(kind.apiVersion).group}`;
}

/**
 * Checks that a kind can be installed.
 *
 * @throws {TypeError} if it has no `plural`, or is one that a cluster cannot do without.
 */
export function checkInstallable(kind: Kind<KubernetesObject>): void {
  pluralOf(kind);
  if (parseApiVersion(kind.apiVersion).group === 'coordination.k8s.io') {
    throw new TypeError(
      `installWebhooks: ${kindText(kind)} is not installed: without Leases, neither this server nor the control plane can recover`,
    );
  }
}

function pluralOf(kind: Kind<KubernetesObject>): string {
  if (kind.plural !== undefined) return kind.plural;
  throw new TypeError(`installWebhooks: ${kindText(kind)} has no plural: set plural in defineKind`);
}

function clientConfig(path: string, { url, service, cluster, caBundle }: ConfigurationInput): ClientConfig {
  const encoded = caBundle !== undefined && { caBundle: Buffer.from(caBundle).toString('base64') };
  if (service) return { service: { ...service, port: service.port ?? 443, path }, ...encoded };
  return { url: `${(url ?? '').replace(/\/+$/u, '')}${clusterPath(cluster, path)}`, ...encoded };
}

function withoutNamespaces(
  { matchLabels, matchExpressions = [] }: LabelSelectorSettings = {},
  excluded: readonly string[],
): object {
  const key = 'kubernetes.io/metadata.name';
  const values = [...new Set([...SYSTEM_NAMESPACES, ...excluded])];
  return {
    ...(matchLabels && { matchLabels }),
    matchExpressions: [...matchExpressions, { key, operator: 'NotIn', values }],
  };
}
