import type { AllowedCommand } from './allowed-command.ts';
import type { Auth, ExecAuth, Impersonation } from './cluster-config.ts';
import { execProblem } from './exec-rules.ts';
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig-document.ts';
import { fault, fromOrigin, type Entry } from './kubeconfig-entry.ts';

/** The extension of a cluster that is passed to its exec plugins. (Upstream: KEP-541.) */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

export interface AuthContext {
  readonly cluster: Entry<KubeconfigCluster>;
  /** The exec plugins that may be run. Default: any. */
  readonly allowedCommands?: readonly AllowedCommand[] | undefined;
}

/** Returns the authentication of a user. */
export function authOf(user: Entry<KubeconfigUser>, context: AuthContext): Auth | undefined {
  const { token, tokenFile, username, password, exec, 'auth-provider': provider } = user.value;
  const methods = [
    token || tokenFile ? 'token' : '',
    username || password ? 'username' : '',
    exec ? 'exec' : '',
    provider ? 'auth-provider' : '',
  ].filter(Boolean);
  const [first, ...others] = methods;
  if (first !== undefined && others.length > 0) {
    throw fault(user, first, `is set together with ${others.join(' and ')}: keep only one of them`);
  }

  // The file takes precedence, as in client-go: the token is a copy of an earlier content of the file.
  if (tokenFile) return { type: 'tokenFile', path: fromOrigin(tokenFile, user) };
  if (token) return { type: 'token', token };
  if (username || password) return { type: 'basic', username: username ?? '', password: password ?? '' };
  if (exec) return execOf(exec, user, context);
  return provider ? { type: 'authProvider', name: provider.name, config: provider.config ?? {} } : undefined;
}

function execOf(
  exec: NonNullable<KubeconfigUser['exec']>,
  user: Entry<KubeconfigUser>,
  { cluster, allowedCommands }: AuthContext,
): ExecAuth {
  if (exec.interactiveMode === 'Always') {
    throw fault(
      user,
      'exec.interactiveMode',
      'is Always, but this process cannot answer prompts: use a plugin that does not need them',
    );
  }
  const extension = cluster.value.extensions?.find(({ name }) => name === EXEC_EXTENSION)?.extension;
  const auth: ExecAuth = {
    type: 'exec',
    apiVersion: exec.apiVersion,
    command: /[/\\]/.test(exec.command) ? fromOrigin(exec.command, user) : exec.command,
    ...(exec.args && { args: exec.args }),
    ...(exec.env && { env: Object.fromEntries(exec.env.map(({ name, value }) => [name, value])) }),
    ...(exec.provideClusterInfo && { provideClusterInfo: true }),
    ...(exec.provideClusterInfo && extension !== undefined && { clusterInfoConfig: extension }),
    ...(exec.installHint && { installHint: exec.installHint }),
    ...(allowedCommands && { allowedCommands }),
  };
  const problem = execProblem(auth);
  if (problem) throw fault(user, `exec.${problem.field}`, problem.problem);
  return auth;
}

/** Returns the impersonation of a user. */
export function impersonationOf(user: Entry<KubeconfigUser>): Impersonation | undefined {
  const { as, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user.value;
  if (as) return { user: as, ...(uid && { uid }), ...(groups && { groups }), ...(extra && { extra }) };
  if (uid || groups || extra)
    throw fault(user, 'as', 'is not set: set it to the user for as-uid, as-groups or as-user-extra');
  return undefined;
}
