import type { ClusterConfig, ExecAuth } from '@mcr/client';
import { createClient, loadKubeconfig, Namespace } from '@mcr/client';
import { stringify } from 'yaml';
import type { Installation } from './install/installation.ts';
import type { Credentials } from './kubeconfig.ts';
import { RealControlPlane } from './real-control-plane.ts';

/** The cluster of a kubeconfig. This package did not start it, so it neither stops it nor issues credentials for it. */
export class ExistingControlPlane extends RealControlPlane {
  /** @throws {Error} that names the kubeconfig, or the address of the server if it does not answer. */
  static async connect({
    name,
    kubeconfig: path,
    context,
    installation,
  }: {
    readonly name: string;
    readonly kubeconfig?: string | undefined;
    readonly context?: string | undefined;
    readonly installation?: Installation | undefined;
  }): Promise<ExistingControlPlane> {
    const config = loadKubeconfig({
      ...(path !== undefined && { path }),
      ...(context !== undefined && { context }),
    });
    await using client = createClient(config);
    await client.get(Namespace, { name: 'default' }).catch((cause: unknown) => {
      const advice = 'check that the cluster runs, or name another one with kubeconfig and context';
      throw new Error(`existing: ${(cause as Error).message}: ${advice}`, { cause });
    });
    const stop = (): Promise<void> => Promise.resolve();
    const text = textOf(name, config);
    return new ExistingControlPlane({ backend: 'existing', name, config, kubeconfig: text, stop, installation });
  }

  /** Refused, because a token would need an administrator's account that outlives the tests. */
  override issueToken(): Promise<Credentials> {
    return this.unsupported('issueToken()');
  }
}

/** Returns a kubeconfig with one context. */
function textOf(name: string, config: ClusterConfig): string {
  const { server, tls = {}, proxyUrl } = config;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server,
          'certificate-authority-data': base64(tls.caData),
          'certificate-authority': tls.caFile,
          'tls-server-name': tls.serverName,
          'insecure-skip-tls-verify': tls.insecureSkipVerify,
          'proxy-url': proxyUrl,
        },
      },
    ],
    users: [{ name, user: userOf(config) }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

function userOf({ tls = {}, auth, impersonate }: ClusterConfig): object {
  const certificate = {
    'client-certificate-data': base64(tls.certData),
    'client-key-data': base64(tls.keyData),
    'client-certificate': tls.certFile,
    'client-key': tls.keyFile,
  };
  const as = {
    as: impersonate?.user,
    'as-uid': impersonate?.uid,
    'as-groups': impersonate?.groups,
    'as-user-extra': impersonate?.extra,
  };
  switch (auth?.type) {
    case 'token':
      return { ...certificate, ...as, token: auth.token };
    case 'tokenFile':
      return { ...certificate, ...as, tokenFile: auth.path };
    case 'basic':
      return { ...certificate, ...as, username: auth.username, password: auth.password };
    case 'exec':
      return { ...certificate, ...as, exec: execOf(auth) };
    case 'authProvider':
      return { ...certificate, ...as, 'auth-provider': { name: auth.name, config: auth.config } };
    case 'custom':
    case undefined:
      return { ...certificate, ...as };
  }
}

function execOf({ apiVersion, command, args, env = {}, provideClusterInfo, installHint }: ExecAuth): object {
  return {
    apiVersion,
    command,
    args,
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    provideClusterInfo,
    installHint,
    interactiveMode: 'Never',
  };
}

function base64(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text).toString('base64');
}
