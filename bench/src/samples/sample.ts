import type { DeepReadonly } from '@mcr/core';
import { Pod } from '@mcr/core';
import { mixedKinds } from './mixed.ts';
import { referencePodJson } from './reference-pod.ts';
import type { SampleKind } from './sample-kind.ts';

/** `reference`: Pods of about 1.65 KB. `mixed`: objects of many shapes and sizes. */
export type SampleName = 'reference' | 'mixed';

/** Object `index` is of the kind `index % kinds.length`. */
export const samples: Readonly<Record<SampleName, readonly SampleKind[]>> = {
  reference: [
    {
      kind: Pod,
      key: (index) => ({ namespace: 'default', name: `pod-${index}` }),
      json: referencePodJson,
      indexed: (pod) => [(pod as DeepReadonly<Pod>).spec?.nodeName ?? ''],
    },
  ],
  mixed: mixedKinds,
};

/** Returns the kind of an object of a sample. */
export function kindAt(sample: SampleName, index: number): SampleKind {
  const kinds = samples[sample];
  const kind = kinds[index % kinds.length];
  if (!kind) throw new RangeError(`sample ${sample}: no object ${index}`);
  return kind;
}
