import type { Discrepancy } from './comparison.ts';
import type { Round } from './duel.ts';
import type { Json } from './operation.ts';
import type { Answer } from './side.ts';

/** A difference that is accepted. */
interface Known {
  /** Why the embedded server does not answer as the real one does. */
  readonly reason: string;
  readonly method?: RegExp;
  readonly request?: RegExp;
  /** Media type of the request. */
  readonly mediaType?: RegExp;
  /** Body of the request, as JSON. */
  readonly body?: RegExp;
  /** Path of the value, as in {@link Discrepancy}. */
  readonly at: RegExp;
  readonly expected?: RegExp;
  readonly actual?: RegExp;
  /** Whether the real server has more: a larger number, or a page after this one. Default: either may have more. */
  readonly hasMore?: true;
  /** Whether the handler of the real server panics, so that it resets the stream. */
  readonly panics?: boolean;
}

/** Errors of an apply, with one about an undeclared field. */
const UNDECLARED =
  /^failed to create typed patch object \([^\n]*\): (?:errors:\n(?:[^\n]*\n)*)?[^\n]*: field not declared in schema(?:\n|$)/u;

/** Every entry is as narrow as possible. A value that no entry matches is a difference. */
const KNOWN: readonly Known[] = [
  {
    reason: 'The texts of columns are documentation of Kubernetes, which this project does not copy.',
    at: /columnDefinitions\[\]\.description$/u,
  },
  {
    reason: 'The build of the binaries, which is not the one that this server is.',
    request: /^\/version/u,
    at: /^body\.(?:gitVersion|gitCommit|goVersion|platform|buildDate)$/u,
  },
  {
    reason: 'The message contains the patched object, as Go prints it: fields in another order.',
    method: /^PATCH$/u,
    at: /^body\.(?:message|details\.causes\[\]\.message)$/u,
    expected: /^(?: "" is invalid: patch: )?Invalid value: "\{/u,
    actual: /^(?: "" is invalid: patch: )?Invalid value: "\{/u,
  },
  {
    reason: 'The key that signs tokens of the binaries is an RSA key, and that of the embedded server is on P-256.',
    request: /^\/openid\/v1\/jwks$/u,
    at: /^body$/u,
    expected: /"alg":"RS256"/u,
    actual: /"alg":"ES256"/u,
  },
  {
    reason: 'The key that signs tokens of the binaries is an RSA key, and that of the embedded server is on P-256.',
    request: /^\/\.well-known\/openid-configuration$/u,
    at: /^body\.id_token_signing_alg_values_supported\[\]$/u,
  },
  {
    reason:
      'kube-apiserver panics: it has no protobuf decoder for custom resources. 415 says what a client must change.',
    method: /^(?:POST|PUT)$/u,
    request: /^\/apis\/judge\.example\.com\//u,
    mediaType: /^application\/vnd\.kubernetes\.protobuf$/u,
    at: /./u,
    panics: true,
  },
  {
    reason: 'kube-apiserver panics: a JSON patch without a value replaces the whole object. 422, as for other values.',
    method: /^PATCH$/u,
    mediaType: /^application\/json-patch\+json$/u,
    body: /"path":""/u,
    at: /./u,
    panics: true,
  },
  {
    reason: 'kube-apiserver panics: it compiles rules for a schema that is not structural. 422 names the faulty field.',
    method: /^(?:POST|PUT)$/u,
    request: /^\/apis\/apiextensions\.k8s\.io\/v1\/customresourcedefinitions\b/u,
    body: /"\$ref":|"x-kubernetes-preserve-unknown-fields":false|"items":\[\{/u,
    at: /./u,
    panics: true,
  },
  {
    reason: 'The message ends with the difference of two Pods, as Go prints its internal types.',
    method: /^(?:PATCH|PUT)$/u,
    request: /^\/api\/v1\/namespaces\/judge\/pods\/[abc](?:\?|$)/u,
    at: /^body\.(?:message|details\.causes\[\]\.message)$/u,
    expected: /Forbidden: pod updates may not change fields other than [^]*\n@@ /u,
    actual: /Forbidden: pod updates may not change fields other than /u,
  },
  {
    reason: 'The page has, or is followed by, the Lease of the binaries in `kube-system`.',
    method: /^GET$/u,
    request: /^\/apis\/coordination\.k8s\.io\/v1\/leases\?(?:[^#]*&)?limit=/u,
    at: /^body(?:\.protobuf)?\.metadata\.(?:continue|remainingItemCount)$/u,
  },
  {
    reason: 'The page has, or is followed by, the ConfigMaps of the binaries in `kube-system`.',
    method: /^GET$/u,
    request: /^\/api\/v1\/configmaps\?(?:[^#]*&)?limit=/u,
    at: /^body(?:\.protobuf)?\.metadata\.(?:continue|remainingItemCount)$/u,
    hasMore: true,
  },
  {
    reason:
      'etcd keeps the internalTrafficPolicy of a Service that became an ExternalName, and no read shows it. The next write of the same fields removes its owner, and so has a new version. Here, nothing is kept that no client sees.',
    method: /^(?:PATCH|PUT)$/u,
    request: /^\/api\/v1\/namespaces\/judge\/services\/[abc](?:\?|$)/u,
    body: /"type":"ExternalName"/u,
    at: /^body\.metadata\.(?:resourceVersion|managedFields\[\]\.fieldsV1\.f:spec\.f:internalTrafficPolicy)$/u,
    expected: /^(?:NEW)?$/u,
    actual: /^(?:KNOWN|\{\})$/u,
  },
  {
    reason: 'The page of Events has, or is followed by, those of the controllers of the binaries that repair Services.',
    method: /^GET$/u,
    request: /^\/(?:api|apis\/events\.k8s\.io)\/v1\/(?:namespaces\/judge\/)?events\?(?:[^#]*&)?limit=/u,
    at: /^body(?:\.protobuf)?\.metadata\.(?:continue|remainingItemCount)$/u,
    hasMore: true,
  },
  {
    reason: 'The page of Events in YAML has those of the controllers of the binaries that repair Services.',
    method: /^GET$/u,
    request: /^\/(?:api|apis\/events\.k8s\.io)\/v1\/(?:namespaces\/judge\/)?events\?(?:[^#]*&)?limit=/u,
    at: /^body$/u,
    expected: /(?:ip|port)allocator-repair-controller/u,
  },
  {
    reason: 'The first of several undeclared fields, and the errors before it: Go visits them in a random order.',
    method: /^PATCH$/u,
    mediaType: /^application\/apply-patch\+yaml$/u,
    at: /^body\.message$/u,
    expected: UNDECLARED,
    actual: UNDECLARED,
  },
  {
    reason: 'The binding that allows a request, of several: Go visits them in a random order.',
    method: /^POST$/u,
    request: /^\/apis\/authorization\.k8s\.io\/v1\//u,
    at: /^body\.status\.reason$/u,
    expected: /^RBAC: allowed by \w+Binding /u,
    actual: /^RBAC: allowed by \w+Binding /u,
  },
  {
    reason: 'The message ends with a difference of Go values, which have fields that no version has.',
    method: /^(?:PUT|PATCH)$/u,
    at: /^body\.(?:message|details\.causes\[\]\.message)$/u,
    expected: /Forbidden: [^@]*\n@@ -\d/u,
    actual: /Forbidden: /u,
  },
  {
    reason: 'The message contains a Go value, where an empty list that was sent differs from no list.',
    request: /^\/apis\/(?:networking|resource)\.k8s\.io\//u,
    at: /^body\.(?:message|details\.causes\[\]\.message)$/u,
    expected: /Invalid value: (?:\{[^\n]*":\[\]|\[\]: (?:must have exactly one node selector term|either `))/u,
    actual: /Invalid value: (?:\{[^\n]*":null|null: (?:must have exactly one node selector term|either `))/u,
  },
  {
    reason: 'OpenAPI has the schemas and the operations that clients need: no documentation, no parameters.',
    method: /^GET$/u,
    request: /^\/openapi\/(?:v2|v3\/apis?\/.+)(?:\?|$)/u,
    at: /^body\.(?:protobuf\b|(?:info|paths|definitions|components|securityDefinitions|security)\b)/u,
  },
  {
    reason: 'OpenAPI has documents of versions only, and their hashes are those of other documents.',
    request: /^\/openapi\/v3\/?(?:\?|$)/u,
    at: /^body(?:\.paths\b|$)/u,
  },
];

/** Number of discrepancies that each entry has matched, by its reason. */
type Hits = Map<string, number>;

/** Returns the counts before the first match: 0 for every entry. */
export function noHits(): Hits {
  return new Map(KNOWN.map(({ reason }) => [reason, 0]));
}

/**
 * Returns the discrepancies that are not known.
 *
 * @param hits counts the others.
 */
export function unknown(
  { operation, sent, answers }: Round,
  found: readonly Discrepancy[],
  hits?: Hits,
): readonly Discrepancy[] {
  const { method, path } = operation;
  const mediaType = sent.headers['content-type'] ?? '';
  const body = Buffer.isBuffer(sent.body) ? '' : textOf(sent.body);
  const panicked = isPanic(answers[0]);
  return found.filter((discrepancy) => {
    const entry = KNOWN.find(
      (known) =>
        (known.method?.test(method) ?? true) &&
        (known.request?.test(path) ?? true) &&
        (known.mediaType?.test(mediaType) ?? true) &&
        (known.body?.test(body) ?? true) &&
        known.at.test(discrepancy.path) &&
        (known.panics ?? false) === panicked &&
        (!known.hasMore || hasMore(discrepancy)) &&
        (known.expected?.test(textOf(discrepancy.expected)) ?? true) &&
        (known.actual?.test(textOf(discrepancy.actual)) ?? true),
    );
    if (entry) hits?.set(entry.reason, (hits.get(entry.reason) ?? 0) + 1);
    return !entry;
  });
}

function hasMore({ expected, actual }: Discrepancy): boolean {
  if (typeof expected === 'number') return expected > Number(actual ?? 0);
  return textOf(expected) !== '' && textOf(actual) === '';
}

/** Reports whether a server reset the stream. Go's server does so after a panic of a handler. */
function isPanic(answer: Answer | undefined): boolean {
  return answer?.status === 0 && /NGHTTP2_INTERNAL_ERROR/u.test(textOf(answer.body));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
