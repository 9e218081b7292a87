import type { Discrepancy } from './comparison.ts';
import type { Operation } from './operation.ts';

/** A difference that is accepted. */
interface Known {
  /** Why the embedded server does not answer as the real one does. */
  readonly reason: string;
  readonly method?: RegExp;
  readonly request?: RegExp;
  /** Path of the value, as in {@link Discrepancy}. */
  readonly at: RegExp;
  readonly expected?: RegExp;
  readonly actual?: RegExp;
  /** Status of the real server. */
  readonly real?: number;
}

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
    reason: 'The server has only the default roles that clients and tests need, without labels of the bootstrap.',
    method: /^GET$/u,
    request: /\/(?:clusterroles|clusterrolebindings)\b/u,
    at: /^body\.items\[\]/u,
  },
  {
    reason: 'The message contains the patched object, as Go prints it: fields in another order, or as a map.',
    method: /^PATCH$/u,
    at: /^body\.(?:message|details\.causes\[\]\.message)$/u,
    expected: /^(?: "" is invalid: patch: )?Invalid value: "(?:\{|map\[)/u,
    actual: /^(?: "" is invalid: patch: )?Invalid value: "\{/u,
  },
  {
    reason: 'The address of the machine on which the binaries run.',
    request: /^\/api\/?$/u,
    at: /^body\.serverAddressByClientCIDRs\[\]$/u,
  },
  {
    reason: 'The statuses of components need components, and bindings are served at Pods only: 501.',
    request: /^\/api\/v1\/(?:componentstatuses|namespaces\/[^/]+\/bindings)\b/u,
    at: /./u,
  },
  {
    reason: 'kube-apiserver closes the connection: its handler panics.',
    at: /./u,
    real: 0,
  },
  {
    reason: 'Jobs without a policy are orphaned by a controller, which the binaries do not have.',
    method: /^DELETE$/u,
    request: /\/jobs\/[^/?]+$/u,
    at: /^body\b/u,
  },
  {
    reason: 'OpenAPI has the schemas and the operations that clients need: no documentation, no parameters.',
    request: /^\/openapi\//u,
    at: /^(?:body|headers\.content-type)\b/u,
  },
];

/** Returns the discrepancies that are not known. */
export function unknown(
  { method, path }: Operation,
  found: readonly Discrepancy[],
  real: number,
): readonly Discrepancy[] {
  return found.filter(
    (discrepancy) =>
      !KNOWN.some(
        (known) =>
          (known.method?.test(method) ?? true) &&
          (known.request?.test(path) ?? true) &&
          known.at.test(discrepancy.path) &&
          (known.real === undefined || known.real === real) &&
          (known.expected?.test(textOf(discrepancy.expected)) ?? true) &&
          (known.actual?.test(textOf(discrepancy.actual)) ?? true),
      ),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
