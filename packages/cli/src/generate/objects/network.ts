import type { Project } from '../../project/project.ts';
import type { Manifest } from '../manifest.ts';
import type { Target } from '../target.ts';
import { labelsOf, ownObject } from './workload.ts';

/**
 * Returns the NetworkPolicy. It accepts connections to the ports of the program only. What the program connects to is not
 * limited, because addresses of clusters come from the inventory.
 */
export function networkPolicyOf({ healthPort, metrics, webhookPort }: Project, target: Target): Manifest {
  const ports = [healthPort, metrics?.port, webhookPort].filter((port) => port !== undefined);
  const spec = {
    podSelector: { matchLabels: labelsOf(target) },
    policyTypes: ['Ingress'],
    ingress: ports.length > 0 ? [{ ports: ports.map((port) => ({ protocol: 'TCP', port })) }] : [],
  };
  return ownObject(target, { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }, { spec });
}

/** Returns the Service of the webhooks, if there are some. */
export function webhookServiceOf({ webhookPort }: Project, target: Target): Manifest[] {
  return webhookPort === undefined ? [] : [serviceOf(target, { name: 'webhook', port: 443 })];
}

/** Returns the Service of the metrics, if they can be reached. */
export function metricsServiceOf({ metrics }: Project, target: Target): Manifest[] {
  return metrics ? [serviceOf(target, { name: 'metrics', port: metrics.port })] : [];
}

/** Returns a Service named after a port of the container. */
function serviceOf(target: Target, { name, port }: { readonly name: string; readonly port: number }): Manifest {
  const metadata = {
    name: `${target.name}-${name}`,
    namespace: target.namespace,
    labels: { ...labelsOf(target), ...componentOf(name) },
  };
  const spec = { selector: labelsOf(target), ports: [{ name, port, targetPort: name }] };
  return { object: { apiVersion: 'v1', kind: 'Service', metadata, spec } };
}

const componentOf = (name: string): Record<string, string> => ({ 'app.kubernetes.io/component': name });

/** Returns the ServiceMonitor of the Prometheus operator, and the ClusterRole of readers if requests need a token. */
export function monitoringOf({ metrics }: Project, target: Target): Manifest[] {
  if (!metrics) return [];
  const { scheme, needsToken } = metrics;
  const endpoint = {
    port: 'metrics',
    scheme,
    ...(needsToken && { bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token' }),
    // The CA of the certificate is not known here.
    ...(scheme === 'https' && { tlsConfig: { insecureSkipVerify: true } }),
  };
  const spec = { selector: { matchLabels: { ...labelsOf(target), ...componentOf('metrics') } }, endpoints: [endpoint] };
  const monitor = ownObject(target, { apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor' }, { spec });
  if (!needsToken) return [monitor];
  const reader = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `${target.name}-metrics-reader` },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  };
  return [monitor, { object: reader, ruleComments: [['bind it to the account of Prometheus']] }];
}
