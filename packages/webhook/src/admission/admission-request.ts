import type { KubernetesObject } from '@mcr/core';

/** Identifies a kind in a review. */
export interface GroupVersionKind {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Identifies a resource in a review. */
export interface GroupVersionResource {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The user who sent a request to the API server. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The `request` of an AdmissionReview, `admission.k8s.io/v1`. */
export interface AdmissionRequest {
  /** Identifies the call of the webhook. */
  readonly uid: string;
  /** Kind of `object` and `oldObject`. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** For example `status`. Absent for the object itself. */
  readonly subResource?: string | undefined;
  /** Kind of the request to the API server, if it was converted to the version that the webhook asks for. */
  readonly requestKind?: GroupVersionKind | undefined;
  readonly requestResource?: GroupVersionResource | undefined;
  readonly requestSubResource?: string | undefined;
  /** Absent if the server generates the name. */
  readonly name?: string | undefined;
  /** Absent for a cluster-scoped kind. */
  readonly namespace?: string | undefined;
  readonly operation: AdmissionOperation;
  readonly userInfo: UserInfo;
  /** The object after the operation. Absent for `DELETE`. For `CONNECT`, the options of the connection. */
  readonly object?: KubernetesObject | undefined;
  /** The object before the operation. Present for `UPDATE` and `DELETE`. */
  readonly oldObject?: KubernetesObject | undefined;
  /** Whether nothing is stored. Handlers with effects outside of the object must have none. */
  readonly dryRun: boolean;
  /** Options of the operation, for example `CreateOptions`. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}
