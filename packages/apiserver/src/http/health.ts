import type { Exchange } from './exchange.ts';

const COMMON = ['ping', 'log', 'etcd'] as const;

/** Controllers that have started before the server listens. */
const HOOKS = [
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/rbac/bootstrap-roles',
] as const;

/** Checks by endpoint, in the order of a real server. All of them pass as long as the server answers. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  healthz: [...COMMON, ...HOOKS],
  livez: [...COMMON, ...HOOKS],
  readyz: [...COMMON, 'etcd-readiness', 'informer-sync', ...HOOKS, 'shutdown'],
};

/**
 * Serves a health check, for any method: all checks of an endpoint, also with `verbose` and `exclude`, or one of them.
 * (Upstream: `k8s.io/apiserver/pkg/server/healthz`.)
 *
 * @returns whether the path is one of a health check.
 */
export function serveHealth(exchange: Exchange): boolean {
  const [, endpoint = '', ...rest] = exchange.path.split('/');
  const checks = Object.hasOwn(CHECKS, endpoint) ? CHECKS[endpoint] : undefined;
  if (!checks) return false;
  if (rest.length > 0) {
    if (!checks.includes(rest.join('/'))) return false;
    exchange.sendText(200, 'ok');
    return true;
  }
  exchange.sendText(200, exchange.query.has('verbose') ? report(endpoint, checks, exchange.query) : 'ok');
  return true;
}

function report(endpoint: string, checks: readonly string[], query: URLSearchParams): string {
  const excluded = query.getAll('exclude');
  const lines = checks.map((check) => `[+]${check} ${excluded.includes(check) ? 'excluded: ok' : 'ok'}\n`);
  const unknown = excluded.filter((name) => !checks.includes(name)).map((name) => JSON.stringify(name));
  const warning =
    unknown.length > 0 ? `warn: some health checks cannot be excluded: no matches for ${unknown.join(',')}\n` : '';
  return `${lines.join('')}${warning}${endpoint} check passed\n`;
}
