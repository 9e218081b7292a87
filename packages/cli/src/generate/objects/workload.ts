import type { Project } from '../../project/project.ts';
import type { Manifest, ManifestObject } from '../manifest.ts';
import type { Target } from '../target.ts';

/** Name of the label by which the Pods of a program are selected. */
const NAME_LABEL = 'app.kubernetes.io/name';

/** Time that the kubelet waits beyond the shutdown of the manager, in seconds. */
const EXTRA_GRACE = 5;

/** Timeout of probes, in seconds: more than the 5 s that the manager gives a check, so that the kubelet gets its error. */
const PROBE_TIMEOUT = 6;

export const labelsOf = ({ name }: Target): Record<string, string> => ({ [NAME_LABEL]: name });

/** Returns an object in the namespace of the program, with its name and labels. */
export function ownObject(target: Target, type: Pick<ManifestObject, 'apiVersion' | 'kind'>, fields: object): Manifest {
  const { name, namespace } = target;
  return { object: { ...type, metadata: { name, namespace, labels: labelsOf(target) }, ...fields } };
}

/** Returns the ServiceAccount of the program. */
export function serviceAccountOf(target: Target): Manifest {
  return ownObject(target, { apiVersion: 'v1', kind: 'ServiceAccount' }, {});
}

/** Returns the Deployment. Replicas of one that does not elect a leader are never there at the same time. */
export function deploymentOf(project: Project, target: Target): Manifest {
  const { deploy, healthPort, shutdownSeconds } = project;
  const { name, image, replicas, resources } = target;
  const secrets = Object.entries(deploy.secrets ?? {});
  const env = Object.entries(deploy.env ?? {});
  const labels = labelsOf(target);
  const container = {
    name: 'controller',
    image,
    ...(env.length > 0 && { env: env.map(([key, value]) => ({ name: key, value })) }),
    ports: portsOf(project),
    ...(healthPort !== undefined && {
      // A program that blocks its event loop for a minute is restarted.
      livenessProbe: {
        httpGet: { path: '/healthz', port: 'health' },
        periodSeconds: 20,
        timeoutSeconds: PROBE_TIMEOUT,
      },
      readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, periodSeconds: 5, timeoutSeconds: PROBE_TIMEOUT },
    }),
    resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    ...(secrets.length > 0 && {
      volumeMounts: secrets.map(([mountPath], index) => ({ name: `secret-${index}`, mountPath, readOnly: true })),
    }),
  };
  const spec = {
    replicas,
    strategy: strategyOf(project),
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: name,
        terminationGracePeriodSeconds: shutdownSeconds + EXTRA_GRACE,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [container],
        ...(secrets.length > 0 && {
          volumes: secrets.map(([, secretName], index) => ({ name: `secret-${index}`, secret: { secretName } })),
        }),
      },
    },
  };
  return ownObject(target, { apiVersion: 'apps/v1', kind: 'Deployment' }, { spec });
}

function strategyOf({ replicas }: Project): object {
  switch (replicas) {
    case 'single':
      return { type: 'Recreate' };
    case 'leader-election':
      return { type: 'RollingUpdate' };
    case 'sharding':
      // A new replica starts before an old one stops, so that clusters are handed over warm.
      return { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  }
}

function portsOf({ healthPort, metrics, webhookPort }: Project): object[] {
  const ports = { health: healthPort, metrics: metrics?.port, webhook: webhookPort };
  return Object.entries(ports).flatMap(([name, containerPort]) =>
    containerPort === undefined ? [] : [{ name, containerPort }],
  );
}

/** Returns the PodDisruptionBudget: a drained node takes one replica at a time. */
export function disruptionBudgetOf(target: Target): Manifest {
  const spec = { maxUnavailable: 1, selector: { matchLabels: labelsOf(target) } };
  return ownObject(target, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' }, { spec });
}
