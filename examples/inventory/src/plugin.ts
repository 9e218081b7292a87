import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/* An exec credential plugin. It receives the cluster, and returns a token, which it reads from a directory. */

interface ExecInfo {
  readonly apiVersion: string;
  /** `config` is the extension for plugins in the profile of the cluster. */
  readonly spec: { readonly cluster: { readonly config: { readonly audience: string } } };
}

const info = JSON.parse(process.env['KUBERNETES_EXEC_INFO'] ?? '') as ExecInfo;
const { audience } = info.spec.cluster.config;
const token = readFileSync(join(process.env['TOKENS'] ?? '', encodeURIComponent(audience)), 'utf8');
console.log(JSON.stringify({ apiVersion: info.apiVersion, kind: 'ExecCredential', status: { token } }));
