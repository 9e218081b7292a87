import type { FlagNames, FlagSection } from './flags.ts';

/* Flags of kube-apiserver v1.35. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Flags whose values the program uses. */
const SERVED = words(`
  admission-control authorization-mode bind-address cert-dir client-ca-file disable-admission-plugins
  enable-admission-plugins etcd-servers feature-gates secure-port service-account-issuer
  service-account-signing-key-file service-cluster-ip-range tls-cert-file tls-private-key-file token-auth-file
`);

/** Flags that decide who may do what, or where objects are stored, in ways that the program does not have. */
export const REFUSED = words(`
  authentication-config authentication-token-webhook-config-file authorization-config authorization-policy-file
  authorization-webhook-config-file etcd-cafile etcd-certfile etcd-keyfile oidc-issuer-url
  requestheader-client-ca-file service-account-signing-endpoint
`);

/** Flags that envtest or its users pass by habit. They have no effect on the embedded server. */
const SILENT = words(`
  advertise-address endpoint-reconciler-type etcd-prefix service-account-key-file storage-backend v vmodule
`);

const SILENT_SWITCHES = ['allow-privileged', 'help', 'profiling', 'version'];

/** Flags that have no effect on the embedded server. The program warns of them. */
const WITHOUT_EFFECT = words(`
  admission-control-config-file allow-metric-labels allow-metric-labels-manifest api-audiences
  audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-max-wait audit-log-batch-throttle-burst
  audit-log-batch-throttle-qps audit-log-format audit-log-maxage audit-log-maxbackup audit-log-maxsize
  audit-log-mode audit-log-path audit-log-truncate-max-batch-size audit-log-truncate-max-event-size
  audit-log-version audit-policy-file audit-webhook-batch-buffer-size audit-webhook-batch-max-size
  audit-webhook-batch-max-wait audit-webhook-batch-throttle-burst audit-webhook-batch-throttle-qps
  audit-webhook-config-file audit-webhook-initial-backoff audit-webhook-mode
  audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size audit-webhook-version
  authentication-token-webhook-cache-ttl authentication-token-webhook-version
  authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
  authorization-webhook-version coordinated-leadership-lease-duration coordinated-leadership-renew-deadline
  coordinated-leadership-retry-period cors-allowed-origins debug-socket-path
  default-not-ready-toleration-seconds default-unreachable-toleration-seconds delete-collection-workers
  disabled-metrics egress-selector-config-file emulated-version encryption-provider-config
  etcd-compaction-interval etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout
  etcd-readycheck-timeout etcd-servers-overrides event-ttl external-hostname goaway-chance
  http2-max-streams-per-connection kubelet-certificate-authority kubelet-client-certificate kubelet-client-key
  kubelet-preferred-address-types kubelet-timeout kubernetes-service-node-port lease-reuse-duration-seconds
  livez-grace-period log-flush-frequency log-json-info-buffer-size log-text-info-buffer-size logging-format
  max-connection-bytes-per-sec max-mutating-requests-inflight max-requests-inflight min-compatibility-version
  min-request-timeout oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix oidc-required-claim
  oidc-signing-algs oidc-username-claim oidc-username-prefix peer-advertise-ip peer-advertise-port peer-ca-file
  proxy-client-cert-file proxy-client-key-file request-timeout requestheader-allowed-names
  requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers
  requestheader-username-headers runtime-config service-account-jwks-uri service-account-max-token-expiration
  service-node-port-range show-hidden-metrics-for-version shutdown-delay-duration
  shutdown-watch-termination-grace-period storage-initialization-timeout storage-media-type
  strict-transport-security-directives tls-cipher-suites tls-min-version tls-sni-cert-key tracing-config-file
  watch-cache-sizes
`);

const SWITCHES = words(`
    aggregator-reject-forwarding-redirect allow-privileged anonymous-auth audit-log-batch-throttle-enable
    audit-log-compress audit-log-truncate-enabled audit-webhook-batch-throttle-enable
    audit-webhook-truncate-enabled contention-profiling disable-http2-serving emulation-forward-compatible
    enable-aggregator-routing enable-bootstrap-token-auth enable-garbage-collector enable-logs-handler
    enable-priority-and-fairness encryption-provider-config-automatic-reload help log-json-split-stream
    log-text-split-stream permit-address-sharing permit-port-sharing profiling
    runtime-config-emulation-forward-compatible service-account-extend-token-expiration service-account-lookup
    shutdown-send-retry-after watch-cache
    version
  `);

export const NAMES: FlagNames = { valued: [...SERVED, ...REFUSED, ...SILENT, ...WITHOUT_EFFECT], switches: SWITCHES };

/** Flags in the order of the help. */
export const SECTIONS: readonly FlagSection[] = [
  { title: 'Flags', names: [...SERVED, 'help', 'version'], isLong: true },
  { title: 'Flags that are refused', names: REFUSED },
  {
    title: 'Flags that are accepted and have no effect',
    names: [...SILENT, ...WITHOUT_EFFECT, ...SWITCHES].filter((name) => name !== 'help' && name !== 'version'),
  },
];

/** Reports whether the program should warn of a flag that was passed. */
export function hasNoEffect(name: string): boolean {
  return ![...SERVED, ...REFUSED, ...SILENT, ...SILENT_SWITCHES].includes(name);
}
