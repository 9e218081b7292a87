import { ConfigMap, defineKind, Deployment, Pod, Secret } from '@mcr/core';
import { Random } from './random.ts';
import type { SampleKind } from './sample-kind.ts';
import type { Shape } from './shapes.ts';
import {
  certificateShape,
  configMapShape,
  databaseShape,
  deploymentShape,
  podShape,
  routeShape,
  secretShape,
  workflowShape,
} from './shapes.ts';
import { hex, sentence, slug, suffix, timestamp, uid, word } from './text.ts';

const SEED = 20_261_122;
const [SMALLEST, LARGEST] = [300, 40_000];
/** Above 1 for more small objects than large ones. 2.5 makes a mean of about 4 KB. */
const SKEW = 2.5;
const NAMESPACES = 40;

function custom(kind: string, plural: string) {
  return defineKind({ apiVersion: 'bench.example.com/v1', kind, plural, scope: 'Namespaced' });
}

/**
 * Diverse objects of 0.3 to 40 KB. Names, uids, hashes and encoded data differ in each object, so the sample favours
 * neither compression nor the sharing of equal strings. The objects have no managed fields, because a cache drops them.
 */
export const mixedKinds: readonly SampleKind[] = (
  [
    [Pod, podShape],
    [ConfigMap, configMapShape],
    [Secret, secretShape],
    [Deployment, deploymentShape],
    [custom('Database', 'databases'), databaseShape],
    [custom('Certificate', 'certificates'), certificateShape],
    [custom('Route', 'routes'), routeShape],
    [custom('Workflow', 'workflows'), workflowShape],
  ] as const
).map(([kind, shape]) => ({
  kind,
  key: (index) => keyOf(new Random(SEED, index)),
  json: (index, resourceVersion) => JSON.stringify(mixedObject(kind, shape, index, resourceVersion)),
  indexed: ({ metadata }) => [metadata.labels?.['app'] ?? ''],
}));

function mixedObject(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  shape: Shape,
  index: number,
  resourceVersion: number,
): object {
  const random = new Random(SEED, index);
  const key = keyOf(random);
  const size = SMALLEST * (LARGEST / SMALLEST) ** (random.share() ** SKEW);
  const metadata = {
    ...key,
    uid: uid(random),
    resourceVersion: String(resourceVersion),
    generation: random.between(1, 90),
    creationTimestamp: timestamp(random),
    ...(size > 500 && labelsAndOwner(random)),
  };
  return { apiVersion, kind, metadata, ...shape(random, size) };
}

function keyOf(random: Random): { readonly name: string; readonly namespace: string } {
  return { name: `${slug(random)}-${hex(random, 6)}`, namespace: `team-${random.below(NAMESPACES)}` };
}

function labelsAndOwner(random: Random): object {
  return {
    labels: { app: `${word(random)}-${random.below(50)}`, 'app.kubernetes.io/instance': slug(random) },
    annotations: { 'example.com/checksum': hex(random, 64), 'example.com/description': sentence(random) },
    ...(random.chance(0.5) && {
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${word(random)}-${suffix(random, 10)}`, uid: uid(random) },
      ],
    }),
  };
}
