// A hub and members with the manifests that `mcr generate` wrote, and credentials of the accounts in them.
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ClusterRoleBinding, createClient, Namespace, Secret, ServiceAccount, TokenRequest } from '@mcr/core';
import { createControlPlaneFleet } from '@mcr/envtest';
import { parse } from 'yaml';

const LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';

/** @param {string} deploy Directory that `mcr generate` wrote. */
export async function startGeneratedFleet(deploy, { members }) {
  const fleet = await createControlPlaneFleet({ members, backend: 'embedded' });
  try {
    return { fleet, ...(await fill(fleet, deploy)) };
  } catch (error) {
    await fleet.stop();
    throw error;
  }
}

async function fill({ hub, members }, deploy) {
  const base = documentsIn(join(deploy, 'base'));
  const deployment = base.find(({ object }) => object.kind === 'Deployment').object;
  const { serviceAccountName: name } = deployment.spec.template.spec;
  const account = { namespace: deployment.metadata.namespace, name };
  const { namespaces, inventories } = namespacesIn(base, account.namespace);
  await using client = createClient(hub.config);
  // The namespaces of Roles exist before the program is deployed.
  for (const namespace of namespaces) await client.create(Namespace, { metadata: { name: namespace } });
  for (const { text } of base) await applyYaml(hub.config, text);
  const roles = documentsIn(join(deploy, 'members'));
  for (const member of members) {
    for (const { text } of roles) await applyYaml(member.config, text);
    const kubeconfig = await memberKubeconfig(member, account, roles);
    for (const namespace of inventories) {
      const metadata = { namespace, name: member.name, labels: { [LABEL]: 'true' } };
      await client.create(Secret, { metadata, stringData: { kubeconfig } });
    }
  }
  return { deployment, account, kubeconfig: await kubeconfigOf(hub.config, account) };
}

/** Returns the documents of a kustomization in its order, each as the text in its file. */
export function documentsIn(folder) {
  const { resources } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'));
  const all = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.yaml'));
  if (all.length !== resources.length + 1) throw new Error(`${folder}: a file is not in kustomization.yaml: ${all}`);
  return resources.flatMap((path) =>
    readFileSync(join(folder, path), 'utf8')
      .split(/^---$/mu)
      .map((document) => ({ text: document, object: parse(document) })),
  );
}

/** Returns the other namespaces of Roles, and those whose Secrets the program watches. */
function namespacesIn(documents, own) {
  const roles = documents.map(({ object }) => object).filter(({ kind }) => kind === 'Role');
  const watches = ({ resources, verbs }) => resources.includes('secrets') && verbs.includes('watch');
  const namesOf = (found) => [...new Set(found.map(({ metadata }) => metadata.namespace))];
  return {
    namespaces: namesOf(roles).filter((namespace) => namespace !== own),
    inventories: namesOf(roles.filter(({ rules }) => rules.some(watches))),
  };
}

/** Creates an account in a member, with the generated ClusterRole. */
async function memberKubeconfig({ config }, account, roles) {
  await using client = createClient(config);
  await client.create(Namespace, { metadata: { name: account.namespace } });
  await client.create(ServiceAccount, { metadata: account });
  for (const { object } of roles) {
    if (object.kind !== 'ClusterRole') continue;
    const { name } = object.metadata;
    await client.create(ClusterRoleBinding, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    });
  }
  return kubeconfigOf(config, account);
}

/** Returns a kubeconfig with a token of an account. */
async function kubeconfigOf(config, account) {
  await using client = createClient(config);
  const { status } = await client
    .subresource('token', TokenRequest)
    .create(ServiceAccount, account, { metadata: account, spec: { audiences: [] } });
  const ca = Buffer.from(config.tls.caData).toString('base64');
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
    clusters: [{ name: 'a', cluster: { server: config.server, 'certificate-authority-data': ca } }],
    users: [{ name: 'a', user: { token: status.token } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a', namespace: account.namespace } }],
  });
}

/** Applies a document as it was written, with its comments, as `kubectl apply --server-side` does. */
export async function applyYaml(config, document) {
  const { apiVersion, kind, metadata } = parse(document);
  const version = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = await send(config, { path: version });
  const { name, namespaced } = resources.find((each) => each.kind === kind && !each.name.includes('/'));
  const folder = namespaced ? `${version}/namespaces/${metadata.namespace}` : version;
  await send(config, {
    path: `${folder}/${name}/${metadata.name}?fieldManager=kubectl&fieldValidation=Strict`,
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: document,
  });
}

/** Sends a request with the credentials of a config. @returns the object in the response. */
async function send({ server, tls, auth }, { path, method, headers, body }) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const authorization = `Bearer ${auth.token}`;
  const signal = AbortSignal.timeout(30_000);
  request(`${server}${path}`, { method, headers: { ...headers, authorization }, ca: tls.caData, signal }, resolve)
    .once('error', reject)
    .end(body);
  const response = await promise;
  const answer = await text(response);
  if (response.statusCode >= 300) throw new Error(`${method ?? 'GET'} ${path}: ${answer}`);
  return JSON.parse(answer);
}
