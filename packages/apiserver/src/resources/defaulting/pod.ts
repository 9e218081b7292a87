import type { JsonObject } from '../../storage/stored-object.ts';
import { setPodResources } from '../pod-level-resources.ts';
import type { DefaultsTable } from './table.ts';
import { child, fill, fillAbsent, items } from './table.ts';

/** An image without its digest. (Upstream: `reference.ParseNormalizedNamed` of distribution.) */
const IMAGE =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]+)?\/)?[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?$/u;

/** `Always` for the tag `latest`, which is also that of an image without tag and digest. */
export function pullPolicy(image: unknown): string {
  const text = typeof image === 'string' ? image : '';
  const digest = text.indexOf('@');
  const name = digest < 0 ? text : text.slice(0, digest);
  const tag = /:(?<tag>[^/:]+)$/u.exec(name)?.groups?.['tag'];
  // An image that cannot be parsed has no tag.
  const isParsed = IMAGE.test(name) && !isTooLong(name);
  const isLatest = isParsed && (tag === 'latest' || (tag === undefined && digest < 0));
  return isLatest ? 'Always' : 'IfNotPresent';
}

const LONGEST_REPOSITORY = 255;

/** Reports whether the path of an image's repository is too long. (Upstream: `splitDockerDomain` of distribution.) */
function isTooLong(image: string): boolean {
  const name = image.replace(/:[^/:]*$/u, '');
  const host = name.slice(0, Math.max(0, name.indexOf('/')));
  const hasHost = host === 'localhost' || /[.:A-Z]/u.test(host);
  const path = hasHost ? name.slice(host.length + 1) : name;
  const isOfficial = !path.includes('/') && (!hasHost || /^(?:index\.)?docker\.io$/u.test(host));
  return path.length + (isOfficial ? 'library/'.length : 0) > LONGEST_REPOSITORY;
}

function setContainer(container: JsonObject): void {
  fill(container, {
    imagePullPolicy: pullPolicy(container['image']),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  container['resources'] ??= {};
}

function setPod(pod: JsonObject): void {
  const spec = child(pod, 'spec');
  for (const container of [...items(spec, 'containers'), ...items(spec, 'initContainers')]) {
    // In a template, requests stay absent.
    const limits = (container['resources'] as JsonObject | undefined)?.['limits'] as JsonObject | undefined;
    if (limits) fill(child(child(container, 'resources'), 'requests'), limits);
    if (spec['hostNetwork'] === true) {
      for (const port of items(container, 'ports')) port['hostPort'] ||= port['containerPort'];
    }
  }
  setPodResources(spec);
  fill(spec, { enableServiceLinks: true });
  // Only Pods: templates keep a negative value.
  if (Number(spec['terminationGracePeriodSeconds']) < 0) spec['terminationGracePeriodSeconds'] = 1;
}

function setPodSpec(spec: JsonObject): void {
  fill(spec, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
  });
  // Two names of one field.
  const account = spec['serviceAccountName'] || spec['serviceAccount'];
  if (account) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
}

const SOURCELESS = ['name'];

function setVolume(volume: JsonObject): void {
  if (Object.keys(volume).every((field) => SOURCELESS.includes(field))) volume['emptyDir'] = {};
  const image = volume['image'] as JsonObject | undefined;
  if (image) fill(image, { pullPolicy: pullPolicy(image['reference']) });
}

/** 0644, the mode of projected files. */
const FILE_MODE = 0o644;

const setMode = (source: JsonObject): void => fill(source, { defaultMode: FILE_MODE });

/** Defaults of Pods and their templates (upstream: `pkg/apis/core/v1/defaults.go`). */
export const podDefaults: DefaultsTable = {
  Pod: setPod,
  PodSpec: setPodSpec,
  PodTemplateSpec: (template) => {
    template['metadata'] ??= {};
    child(template, 'spec');
  },
  Container: setContainer,
  EphemeralContainer: setContainer,
  ContainerPort: (port) => fill(port, { protocol: 'TCP' }),
  Probe: (probe) => {
    for (const [field, value] of Object.entries({
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    }))
      probe[field] ||= value;
  },
  HTTPGetAction: (action) => fill(action, { path: '/', scheme: 'HTTP' }),
  GRPCAction: (action) => {
    action['service'] ??= '';
  },
  Volume: setVolume,
  PersistentVolumeClaimTemplate: (template) => {
    template['metadata'] ??= {};
  },
  SecretVolumeSource: setMode,
  ConfigMapVolumeSource: setMode,
  DownwardAPIVolumeSource: setMode,
  ProjectedVolumeSource: setMode,
  ServiceAccountTokenProjection: (projection) => fill(projection, { expirationSeconds: 3600 }),
  HostPathVolumeSource: (source) => {
    source['type'] ??= '';
  },
  ISCSIVolumeSource: (source) => fill(source, { iscsiInterface: 'default' }),
  RBDVolumeSource: (source) => fill(source, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  AzureDiskVolumeSource: (source) =>
    fillAbsent(source, { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' }),
  ScaleIOVolumeSource: (source) => fill(source, { storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  ResourceFieldSelector: (selector) => fill(selector, { divisor: '0' }),
  ObjectFieldSelector: (selector) => fill(selector, { apiVersion: 'v1' }),
  FileKeySelector: (selector) => {
    selector['optional'] ??= false;
  },
};
