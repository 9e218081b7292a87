import type { Random } from './random.ts';
import { base64, configFile, hex, ipAddress, sentence, slug, suffix, timestamp, word } from './text.ts';

/** Returns the fields of an object besides `apiVersion`, `kind` and `metadata`, with about `size` bytes of JSON. */
export type Shape = (random: Random, size: number) => object;

export const podShape: Shape = (random, size) => {
  const containers = fill(size / 2 - 400, () => container(random));
  return {
    spec: {
      volumes: [{ name: `kube-api-access-${suffix(random, 5)}`, projected: { sources: [], defaultMode: 420 } }],
      containers,
      restartPolicy: 'Always',
      serviceAccountName: word(random),
      nodeName: `ip-${ipAddress(random).replaceAll('.', '-')}.internal`,
      securityContext: {},
      tolerations: [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }],
    },
    status: {
      phase: random.pick(['Running', 'Running', 'Running', 'Pending', 'Succeeded']),
      hostIP: ipAddress(random),
      podIP: ipAddress(random),
      startTime: timestamp(random),
      conditions: ['Initialized', 'Ready', 'PodScheduled'].map((type) => condition(random, type)),
      containerStatuses: containers.map(({ name, image }) => ({
        name,
        image,
        imageID: `registry.example.com/${word(random)}@sha256:${hex(random, 64)}`,
        containerID: `containerd://${hex(random, 64)}`,
        ready: random.chance(0.9),
        restartCount: random.below(9),
        state: { running: { startedAt: timestamp(random) } },
      })),
    },
  };
};

export const deploymentShape: Shape = (random, size) => {
  const labels = { app: slug(random), release: hex(random, 10) };
  return {
    spec: {
      replicas: random.between(0, 40),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { 'checksum/config': hex(random, 64) } },
        spec: { containers: fill(size - 900, () => container(random)), dnsPolicy: 'ClusterFirst' },
      },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: random.between(1, 5) } },
      revisionHistoryLimit: 10,
    },
    status: {
      observedGeneration: random.between(1, 90),
      replicas: random.between(0, 40),
      conditions: ['Available', 'Progressing'].map((type) => condition(random, type)),
    },
  };
};

export const configMapShape: Shape = (random, size) => {
  const entry = () => {
    const text = random.chance(0.5)
      ? sentence(random)
      : configFile(random, Math.min(size / 2, random.between(100, 6_000)));
    return [`${word(random)}.${suffix(random, 4)}`, text] as const;
  };
  return { data: Object.fromEntries(fill(size - 250, entry)) };
};

export const secretShape: Shape = (random, size) => ({
  type: 'Opaque',
  data: Object.fromEntries(
    fill(size - 250, () => [`${word(random)}-${suffix(random, 4)}`, base64(random, random.between(12, size / 3))]),
  ),
});

/** Flat, with numbers of all sorts. */
export const databaseShape: Shape = (random, size) => ({
  spec: {
    engine: random.pick(['postgres', 'mysql', 'redis']),
    version: `${random.between(8, 17)}.${random.below(10)}`,
    storage: { size: `${random.between(1, 900)}Gi`, iops: random.below(64_000), ratio: random.share() },
    paused: random.chance(0.1),
    parameters: Object.fromEntries(
      fill(size - 600, () => [`${word(random)}_${word(random)}_${suffix(random, 3)}`, parameter(random)]),
    ),
  },
  status: { endpoint: `${slug(random)}.db.example.com:5432`, size: random.next() * 4096, lastBackup: null },
});

/** Long texts without structure. */
export const certificateShape: Shape = (random, size) => ({
  spec: { dnsNames: fill(size / 4, () => `${slug(random)}.example.com`), secretName: slug(random) },
  status: {
    notAfter: timestamp(random),
    serial: hex(random, 40),
    conditions: [condition(random, 'Ready')],
    pem: base64(random, Math.max((size / 4) * 2 - 300, 60)).replaceAll(/.{64}/gu, '$&\n'),
  },
});

/** Long arrays of small objects. */
export const routeShape: Shape = (random, size) => ({
  spec: {
    hosts: [`${slug(random)}.example.com`],
    rules: fill(size - 500, () => ({
      match: { path: `/${word(random)}/${suffix(random, 6)}`, method: random.pick(['GET', 'POST', 'PUT']) },
      backends: [{ name: slug(random), port: random.between(1_024, 65_535), weight: random.below(101) }],
      timeout: `${random.between(1, 60)}s`,
    })),
  },
});

/** Deeply nested steps. */
export const workflowShape: Shape = (random, size) => ({
  spec: { entrypoint: word(random), steps: fill(size - 600, () => step(random, random.between(1, 8))) },
  status: { phase: random.pick(['Running', 'Failed', 'Succeeded']), message: sentence(random), progress: '3/7' },
});

function step(random: Random, depth: number): object {
  const inner = depth > 1 ? { steps: [step(random, depth - 1)] } : { script: configFile(random, 120) };
  return { name: slug(random), when: `{{steps.${word(random)}.exit}} == ${random.below(3)}`, ...inner };
}

function parameter(random: Random): unknown {
  if (random.chance(0.3)) return random.below(1e9);
  if (random.chance(0.2)) return random.chance(0.5);
  if (random.chance(0.2)) return -random.share() * 1e-5;
  return sentence(random);
}

function condition(random: Random, type: string): object {
  const status = random.pick(['True', 'True', 'False']);
  return { type, status, reason: word(random), message: sentence(random), lastTransitionTime: timestamp(random) };
}

interface Container {
  readonly name: string;
  readonly image: string;
}

function container(random: Random): Container {
  const identity = {
    name: word(random),
    image: `registry.example.com/${word(random)}/${word(random)}:${hex(random, 12)}`,
  };
  const others = {
    args: Array.from({ length: random.below(6) }, () => `--${word(random)}-${word(random)}=${suffix(random, 6)}`),
    env: Array.from({ length: random.below(12) }, () => ({
      name: `${word(random)}_${word(random)}`.toUpperCase(),
      value: random.chance(0.3) ? hex(random, 32) : slug(random),
    })),
    resources: {
      limits: { cpu: `${random.between(1, 40) * 100}m`, memory: `${random.between(1, 64) * 64}Mi` },
      requests: { cpu: `${random.between(1, 100)}m`, memory: `${random.between(16, 512)}Mi` },
    },
    volumeMounts: [{ name: `kube-api-access-${suffix(random, 5)}`, mountPath: `/var/run/${word(random)}` }],
    terminationMessagePath: '/dev/termination-log',
    imagePullPolicy: 'IfNotPresent',
  };
  return { ...identity, ...others };
}

/** Makes at least one item, and more until they have about `size` bytes of JSON. */
function fill<T>(size: number, make: () => T): T[] {
  const items: T[] = [];
  let left = size;
  do {
    const item = make();
    items.push(item);
    left -= JSON.stringify(item).length;
  } while (left > 0);
  return items;
}
