import type { CrdManifest } from '@mcr/core';
import { crdOf, KindVersions } from '@mcr/kinds';
import type { McrConfig } from './mcr-config.ts';

/** Returns the CustomResourceDefinitions of the kinds of a config. */
export function definitionsOf({ kinds = [] }: Pick<McrConfig, 'kinds'>): readonly CrdManifest[] {
  return kinds.map((kind) => crdOf(kind, kind instanceof KindVersions ? { conversion: 'external' } : {}));
}
