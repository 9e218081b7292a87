import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/* An exec credential plugin: it is told for which cluster, and answers with a token, here of a directory of tokens. */

interface ExecInfo {
  readonly apiVersion: string;
  /** `config` is what the cluster's profile has for plugins. */
  readonly spec: { readonly cluster: { readonly config: { readonly audience: string } } };
}

const info = JSON.parse(process.env['KUBERNETES_EXEC_INFO'] ?? '') as ExecInfo;
const { audience } = info.spec.cluster.config;
const token = readFileSync(join(process.env['TOKENS'] ?? '', encodeURIComponent(audience)), 'utf8');
console.log(JSON.stringify({ apiVersion: info.apiVersion, kind: 'ExecCredential', status: { token } }));
