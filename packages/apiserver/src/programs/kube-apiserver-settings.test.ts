import { describe, expect, it } from '@jest/globals';
import { parseFlags } from './flags.ts';
import { NAMES } from './kube-apiserver-flags.ts';
import { readSettings } from './kube-apiserver-settings.ts';
import { parseTokenFile } from './token-file.ts';

/** A file that exists: only its presence matters here. */
const KEY = import.meta.filename;
const REQUIRED = ['--etcd-servers=http://e', '--service-account-issuer=i', `--service-account-signing-key-file=${KEY}`];

const settings = (...args: string[]) => readSettings(parseFlags([...REQUIRED, ...args], NAMES));

describe('flags of kube-apiserver', () => {
  it('K-31: reads values with an equals sign or a space, and has the defaults of kube-apiserver', () => {
    expect(settings('--secure-port', '1', '--bind-address=::1')).toMatchObject({ host: '::1', port: 1, warnings: [] });
    expect(settings()).toMatchObject({ host: '0.0.0.0', port: 6443, authorization: 'AlwaysAllow' });
    expect(settings('--authorization-mode=Node,RBAC')).toMatchObject({ authorization: 'RBAC' });
  });

  it.each([
    ['--nonsense=1', 'unknown flag: --nonsense'],
    ['--secure-port', 'flag needs an argument: --secure-port'],
    ['--secure-port=x', '--secure-port: "x" must be a port between 1 and 65535'],
    ['--bind-address=localhost', '--bind-address: "localhost" is not an IP address'],
    ['--oidc-issuer-url=x', '--oidc-issuer-url: not supported by the embedded API server: use the real kube-apiserver'],
    ['--authorization-mode=Webhook', '--authorization-mode: Webhook is not supported: use RBAC, Node or AlwaysAllow'],
    ['--client-ca-file=/none', "--client-ca-file: ENOENT: no such file or directory, open '/none'"],
    ['--tls-cert-file=a', '--tls-cert-file and --tls-private-key-file: pass both, or neither'],
    ['extra', 'unknown argument "extra": pass flags only'],
  ])('K-31: refuses %s', (argument, message) => {
    expect(() => settings(argument)).toThrow(message);
  });

  it('K-31: requires what kube-apiserver requires', () => {
    expect(() => readSettings(new Map())).toThrow('--etcd-servers must be specified');
    expect(() => readSettings(new Map([['etcd-servers', ['http://e']]]))).toThrow(
      '--service-account-signing-key-file is a required flag',
    );
  });

  it('K-31: warns of flags and values without effect', () => {
    const flags = ['--audit-log-path=-', '--enable-admission-plugins=PodSecurity', '--feature-gates=Foo=true', '--v=2'];
    expect(settings(...flags).warnings).toEqual([
      '--audit-log-path has no effect',
      '--enable-admission-plugins: PodSecurity is not available',
      '--feature-gates: Foo=true has no effect',
    ]);
  });

  it('K-31: reads a token file, and names a line that lacks a column', () => {
    expect(parseTokenFile('t1,ann,1,"a,b"\nt2,bob\n')).toMatchObject([
      { token: 't1', user: { name: 'ann', uid: '1', groups: ['a', 'b', 'system:authenticated'] } },
      { token: 't2', user: { name: 'bob', groups: ['system:authenticated'] } },
    ]);
    expect(() => parseTokenFile('t1,ann\nt2\n')).toThrow('line 2');
  });
});
