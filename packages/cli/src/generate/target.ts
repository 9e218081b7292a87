import type { McrResources } from '../project/mcr-config.ts';

/** What differs between the manifests for kustomize and for Helm. For Helm, the values are placeholders. */
export interface Target {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number | string;
  readonly resources: McrResources | string;
}
