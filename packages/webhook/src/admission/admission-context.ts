import type { ClusterName, Logger } from '@mcr/core';
import { shortened } from '@mcr/core/provider';
import type { AdmissionRequest } from './admission-request.ts';

/** The cluster whose API server calls a webhook, as the path of the call says. The path does not authenticate it. */
export interface WebhookCluster {
  /** `''` for the cluster of the manager. */
  readonly name: ClusterName;
  /** Labels of the cluster. Absent if this replica does not serve the cluster, or does not know it. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Context of a call, for every handler of a webhook. */
export interface CallContext {
  readonly cluster: WebhookCluster;
  /** Aborts when the API server stops waiting, when the caller disconnects, or when the server stops. */
  readonly signal: AbortSignal;
  /** Logger with the webhook, the cluster and the `uid` of the review. */
  readonly log: Logger;
}

/** Context of a review, for handlers of admission. */
export interface AdmissionContext extends CallContext {
  /** The whole request: user, operation, dry run, options. */
  readonly request: AdmissionRequest;
  /**
   * Adds a warning, which the client of the user shows. API servers may cut warnings after 256 bytes. Those that exceed
   * 4 KiB together are dropped.
   */
  readonly warn: (text: string) => void;
  /**
   * Adds an annotation to the event in the audit log of the API server.
   *
   * @param key for example `decision`. The API server puts the name of the webhook before it.
   * @throws {TypeError} if the key is not the name of an annotation without a prefix.
   */
  readonly audit: (key: string, value: string) => void;
}

/** Limits of one review, in bytes. */
const WARNING_BYTES = 256;
const ALL_WARNINGS_BYTES = 4096;
const AUDIT_VALUE_BYTES = 10 * 1024;

const AUDIT_KEY = /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/u;

/** Warnings and audit annotations that the handlers of one review add. */
export class Remarks {
  readonly warnings: string[] = [];
  readonly auditAnnotations: Record<string, string> = {};
  #bytes = 0;

  /** Adds a warning. See {@link AdmissionContext.warn}. */
  warn(text: string): void {
    // A line break would end the header that carries the warning.
    const warning = shortened(text.replaceAll(/\p{Cc}+/gu, ' '), WARNING_BYTES);
    this.#bytes += Buffer.byteLength(warning);
    if (this.#bytes <= ALL_WARNINGS_BYTES) this.warnings.push(warning);
  }

  /** Adds an audit annotation. See {@link AdmissionContext.audit}. */
  audit(key: string, value: string): void {
    if (!AUDIT_KEY.test(key)) {
      throw new TypeError(
        `audit: expected a key of letters, digits, "-", "_" and ".", at most 63, found ${JSON.stringify(shortened(key, 64))}: leave out the prefix`,
      );
    }
    this.auditAnnotations[key] = shortened(value, AUDIT_VALUE_BYTES);
  }
}
