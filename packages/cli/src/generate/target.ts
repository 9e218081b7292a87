import type { McrResources } from '../project/mcr-config.ts';

/** The values that kustomize and Helm get in different ways. For Helm, they are placeholders. */
export interface Target {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number | string;
  readonly resources: McrResources | string;
}
