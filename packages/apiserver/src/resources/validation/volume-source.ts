import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { dnsLabelErrors, subdomainErrors } from '../names.ts';
import { parseQuantity } from '../quantity.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { claimTemplateErrors } from './claim.ts';
import { keyToPathErrors, localPathErrors, modeErrors, noBackstepErrors } from './file-path.ts';
import { downwardFileErrors, projectionErrors } from './projection.ts';
import { at, between, dnsLabel, isEmpty, oneOf, required, requiredText, supported, text, textIfSet } from './rules.ts';

/** Validation of the sources of volumes (upstream: `validateVolumeSource` and `ValidatePersistentVolumeSpec`). */

/** The object whose volume has a source. */
export type SourceOwner = 'Pod' | 'PersistentVolume';

type Check = (field: string, source: unknown, owner: SourceOwner) => FieldError[];

const MANY = 'may not specify more than 1 volume type';

const fields =
  (...names: readonly string[]): Check =>
  (field, source) =>
    names.flatMap((name) => required(at(source, field, name)));

const monitors: Check = (field, source) =>
  listAt(source, 'monitors').length === 0 ? [requiredField(`${field}.monitors`, '')] : [];

const disk =
  (id: string): Check =>
  (field, source) => [
    ...required(at(source, field, id)),
    ...outside(field, source, { name: 'partition', low: 0, detail: 'must be between 1 and 255, inclusive' }),
  ];

interface Outside {
  readonly name: string;
  readonly low: number;
  readonly detail: string;
}

function outside(field: string, source: unknown, { name, low, detail }: Outside): FieldError[] {
  const value = Number(valueAt(source, name) ?? 0);
  return value < low || value > 255 ? [invalidField(`${field}.${name}`, value, detail)] : [];
}

/** Validates the reference to a Secret, which has a namespace in a PersistentVolume. */
const secretReference: Check = (field, source, owner) => {
  const reference = valueAt(source, 'secretRef');
  if (reference === undefined) return [];
  const names = owner === 'Pod' ? ['name'] : ['name', 'namespace'];
  return fields(...names)(`${field}.secretRef`, reference, owner);
};

const PATH_TYPES = [
  ...['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'],
];

const hostPath: Check = (field, source) => {
  const path = at(source, field, 'path');
  if (isEmpty(path[1])) return [requiredField(path[0], '')];
  return [...noBackstepErrors(path), ...supported(at(source, field, 'type'), PATH_TYPES)];
};

const files =
  (name: string): Check =>
  (field, source) => [
    ...required(at(source, field, name)),
    ...modeErrors(at(source, field, 'defaultMode')),
    ...listAt(source, 'items').flatMap((item, index) => keyToPathErrors(`${field}.items[${index}]`, item)),
  ];

const nfs: Check = (field, source, owner) => {
  const path = scalarText(valueAt(source, 'path'));
  return [
    ...fields('server', 'path')(field, source, owner),
    ...(path.startsWith('/') ? [] : [invalidField(`${field}.path`, path, 'must be an absolute path')]),
  ];
};

const QUALIFIED: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.(?:[A-Za-z0-9\-.]+):[^,;*&$|\s]+$/u,
  eui: /^eui.[A-Za-z0-9]{16}$/u,
  naa: /^naa.[A-Za-z0-9]{32}$/u,
};

function qualifiedErrors(field: string, name: string, owner: SourceOwner): FieldError[] {
  const format = QUALIFIED[name.slice(0, 3)];
  if (format?.test(name)) return [];
  const isUnknown = format === undefined && owner === 'Pod';
  return [invalidField(field, name, `must be valid format${isUnknown ? ' starting with iqn, eui, or naa' : ''}`)];
}

const iscsi: Check = (field, source, owner) => {
  const [iqn, initiator] = [valueAt(source, 'iqn'), valueAt(source, 'initiatorName')];
  const usesSecret = ['chapAuthDiscovery', 'chapAuthSession'].some((name) => valueAt(source, name) === true);
  const secret = valueAt(source, 'secretRef');
  return [
    ...required(at(source, field, 'targetPortal')),
    ...(isEmpty(iqn) ? [requiredField(`${field}.iqn`, '')] : qualifiedErrors(`${field}.iqn`, scalarText(iqn), owner)),
    ...outside(field, source, { name: 'lun', low: 0, detail: 'must be between 0 and 255, inclusive' }),
    ...(usesSecret && secret === undefined ? [requiredField(`${field}.secretRef`, '')] : []),
    ...(secret === undefined || owner === 'Pod' ? [] : required(at(secret, `${field}.secretRef`, 'name'))),
    ...(initiator === undefined ? [] : qualifiedErrors(`${field}.initiatorname`, scalarText(initiator), owner)),
  ];
};

const fc: Check = (field, source) => {
  const [targets, ids] = ['targetWWNs', 'wwids'].map((name) => listAt(source, name));
  const [hasTargets, hasIds] = [targets, ids].map((list) => (list?.length ?? 0) > 0);
  const place = `${field}.targetWWNs`;
  const errors: FieldError[] = [];
  if (!hasTargets && !hasIds) {
    errors.push(requiredField(place, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (hasTargets && hasIds) {
    errors.push(invalidField(place, targets, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (!hasTargets) return errors;
  if (valueAt(source, 'lun') === undefined) {
    return [...errors, requiredField(`${field}.lun`, 'lun is required if targetWWNs is specified')];
  }
  return [...errors, ...between(at(source, field, 'lun'), 0, 255)];
};

const flocker: Check = (field, source) => {
  const [name, id] = ['datasetName', 'datasetUUID'].map((each) => scalarText(valueAt(source, each)));
  return [
    ...(!name && !id ? [requiredField(field, 'one of datasetName and datasetUUID is required')] : []),
    ...(name && id
      ? [invalidField(field, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')]
      : []),
    ...(name?.includes('/') ? [invalidField(`${field}.datasetName`, name, "must not contain '/'")] : []),
  ];
};

const quobyte: Check = (field, source) => {
  const [registry = '', tenant = ''] = ['registry', 'tenant'].map((name) => scalarText(valueAt(source, name)));
  const rule = 'must be a host:port pair or multiple pairs separated by commas';
  const errors =
    registry === ''
      ? [requiredField(`${field}.registry`, rule)]
      : tenant.length > 64
        ? [requiredField(`${field}.tenant`, 'must be a UUID and may not exceed a length of 64 characters')]
        : registry
            .split(',')
            .filter((pair) => !/^(?:[^:[\]]*|\[[^[\]]*\]):[^:]*$/u.test(pair))
            .map(() => invalidField(`${field}.registry`, registry, rule));
  return [...errors, ...required(at(source, field, 'volume'))];
};

const flexVolume: Check = (field, source) => {
  const options = Object.keys(valueAt(source, 'options') ?? {});
  const reserved = options.filter((key) =>
    /(?:^|\.)(?:kubernetes|k8s)\.io$/u.test(key.split('/')[0]?.toLowerCase() ?? ''),
  );
  return [
    ...required(at(source, field, 'driver')),
    ...reserved.map((key) =>
      invalidField(`${field}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved'),
    ),
  ];
};

const azureDisk: Check = (field, source, owner) => {
  const [kind, uri] = ['kind', 'diskURI'].map((name) => scalarText(valueAt(source, name)));
  const isManaged = kind === 'Managed';
  const formats = isManaged
    ? ['/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}']
    : ['https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'];
  const isRight = uri?.startsWith(isManaged ? '/subscriptions/' : 'https://');
  return [
    ...fields('diskName', 'diskURI')(field, source, owner),
    ...supported(at(source, field, 'cachingMode'), ['None', 'ReadOnly', 'ReadWrite']),
    ...supported(at(source, field, 'kind'), ['Dedicated', 'Managed', 'Shared']),
    ...(isRight ? [] : supported([`${field}.diskURI`, uri], formats)),
  ];
};

const storageos: Check = (field, source, owner) => [
  ...requiredText(at(source, field, 'volumeName'), dnsLabelErrors),
  ...dnsLabel(at(source, field, 'volumeNamespace')),
  ...secretReference(field, source, owner),
];

/** Validates the name of a CSI driver (upstream: `ValidateCSIDriverName`). */
export function driverNameErrors([field, value]: readonly [string, unknown]): FieldError[] {
  const name = scalarText(value);
  if (name === '') return [requiredField(field, '')];
  return [
    ...(name.length > 63
      ? [{ reason: 'FieldValueTooLong', field, message: 'Too long: may not be more than 63 bytes' } as const]
      : []),
    ...subdomainErrors(name.toLowerCase()).map((detail) => invalidField(field, name, detail)),
  ];
}

const SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

const csi: Check = (field, source, owner) => {
  const driver = driverNameErrors(at(source, field, 'driver'));
  if (owner === 'Pod') {
    const secret = valueAt(source, 'nodePublishSecretRef');
    const name = at(secret, `${field}.nodePublishSecretRef`, 'name');
    if (secret === undefined) return driver;
    // Upstream leaves the reference out of the path of a name that is not empty.
    return [
      ...driver,
      ...required(name),
      ...(isEmpty(name[1]) ? [] : text([`${field}.name`, name[1]], subdomainErrors)),
    ];
  }
  return [
    ...driver,
    ...required(at(source, field, 'volumeHandle')),
    ...SECRETS.flatMap((name) => {
      const secret = valueAt(source, name);
      if (secret === undefined) return [];
      return [
        ...requiredText(at(secret, `${field}.${name}`, 'name'), subdomainErrors),
        ...requiredText(at(secret, `${field}.${name}`, 'namespace'), dnsLabelErrors),
      ];
    }),
  ];
};

const emptyDir: Check = (field, source) => {
  const limit = parseQuantity(valueAt(source, 'sizeLimit'));
  const isNegative = limit !== undefined && limit.nano < 0n;
  return isNegative ? [forbiddenField(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')] : [];
};

const downwardAPI: Check = (field, source) => [
  ...modeErrors(at(source, field, 'defaultMode')),
  // Upstream leaves the items out of the path.
  ...listAt(source, 'items').flatMap((file) => downwardFileErrors(field, file)),
];

const ephemeral: Check = (field, source) => {
  const template = valueAt(source, 'volumeClaimTemplate');
  const place = `${field}.volumeClaimTemplate`;
  return template === undefined ? [requiredField(place, '')] : claimTemplateErrors(place, template);
};

const glusterfs: Check = (field, source, owner) => {
  const namespace = at(source, field, 'endpointsNamespace');
  const rule = 'if the endpointnamespace is set, it must be a valid namespace name';
  return [
    ...fields('endpoints', 'path')(field, source, owner),
    ...(namespace[1] === '' ? [invalidField(...namespace, rule)] : textIfSet(namespace, dnsLabelErrors)),
  ];
};

const azureFile: Check = (field, source, owner) => [
  ...fields('secretName', 'shareName')(field, source, owner),
  ...(valueAt(source, 'secretNamespace') === '' ? [requiredField(`${field}.secretNamespace`, '')] : []),
];

const local: Check = (field, source) => {
  const path = at(source, field, 'path');
  return isEmpty(path[1]) ? [requiredField(path[0], '')] : noBackstepErrors(path);
};

const CHECKS: Readonly<Record<string, Check>> = {
  emptyDir,
  hostPath,
  gitRepo: (field, source) => [
    ...required(at(source, field, 'repository')),
    ...localPathErrors(at(source, field, 'directory'), { isReservedAllowed: true }),
  ],
  gcePersistentDisk: disk('pdName'),
  awsElasticBlockStore: disk('volumeID'),
  secret: files('secretName'),
  nfs,
  iscsi,
  glusterfs,
  flocker,
  persistentVolumeClaim: fields('claimName'),
  rbd: (field, source, owner) => [...monitors(field, source, owner), ...required(at(source, field, 'image'))],
  cinder: (field, source, owner) => [
    ...required(at(source, field, 'volumeID')),
    ...secretReference(field, source, owner),
  ],
  cephfs: monitors,
  quobyte,
  downwardAPI,
  fc,
  flexVolume,
  configMap: files('name'),
  azureFile,
  vsphereVolume: fields('volumePath'),
  photonPersistentDisk: fields('pdID'),
  portworxVolume: fields('volumeID'),
  azureDisk,
  storageos,
  projected: projectionErrors,
  scaleIO: fields('gateway', 'system', 'volumeName'),
  local,
  csi,
  ephemeral,
  image: (field, source, owner) => [
    ...(owner === 'Pod' ? [] : required(at(source, field, 'reference'))),
    ...oneOf(at(source, field, 'pullPolicy'), ['Always', 'IfNotPresent', 'Never']),
  ],
};

/** Order in which upstream checks the sources of a PersistentVolume. That of a Pod is the order of {@link CHECKS}. */
const VOLUME_ORDER = [
  ...['hostPath', 'gcePersistentDisk', 'awsElasticBlockStore', 'glusterfs', 'flocker', 'nfs', 'rbd', 'quobyte'],
  ...['cephfs', 'iscsi', 'cinder', 'fc', 'flexVolume', 'azureFile', 'vsphereVolume', 'photonPersistentDisk'],
  ...['portworxVolume', 'azureDisk', 'scaleIO', 'local', 'storageos', 'csi'],
];

const ORDERS: Readonly<Record<SourceOwner, readonly string[]>> = {
  Pod: Object.keys(CHECKS).filter((name) => name !== 'local'),
  PersistentVolume: VOLUME_ORDER,
};

/** Names in errors that differ from those of the fields. */
const SHOWN: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };
const SHOWN_TWICE: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

/** Returns the names of the sources of a volume, in the order of the checks. */
export function sourcesOf(volume: unknown, owner: SourceOwner): readonly string[] {
  return ORDERS[owner].filter((name) => valueAt(volume, name) !== undefined);
}

/** Validates the sources of a volume. There must be exactly one. */
export function sourceErrors(path: string, volume: unknown, owner: SourceOwner): FieldError[] {
  const [first, ...others] = sourcesOf(volume, owner);
  if (first === undefined) return [requiredField(path, 'must specify a volume type')];
  const own = CHECKS[first]?.(`${path}.${SHOWN[first] ?? first}`, valueAt(volume, first), owner) ?? [];
  return [...own, ...others.map((name) => forbiddenField(`${path}.${SHOWN_TWICE[name] ?? name}`, MANY))];
}
