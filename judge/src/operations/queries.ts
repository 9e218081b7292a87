import type { Choices } from '../choices.ts';

/** Representations that a client may ask for. */
const TYPES = [
  ...['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', '*/*', 'application/*'],
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
  'application/json;as=Unknown;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf,application/json',
  ...['text/plain', 'text/html', 'application/json;q=0.5,application/yaml;q=0.9', 'x', ''],
] as const;

/** Returns a header `Accept`, with a probability. */
export function accept(choices: Choices, probability = 0.15): Readonly<Record<string, string>> {
  return choices.chance(probability) ? { accept: choices.one(TYPES) } : {};
}

/** Returns the query of a write. */
export function writeQuery(choices: Choices): string {
  const parts = [
    ...(choices.chance(0.1) ? [`dryRun=${choices.one(['All', 'All', 'Some', ''])}`] : []),
    ...(choices.chance(0.25)
      ? [`fieldValidation=${choices.one(['Strict', 'Strict', 'Warn', 'Ignore', 'x', ''])}`]
      : []),
    ...(choices.chance(0.2) ? [`fieldManager=${choices.one(['one', 'two', 'up', 'a%00b', 'x'.repeat(129)])}`] : []),
    ...(choices.chance(0.03)
      ? [choices.one(['pretty=true', 'force=true', 'x=y', 'dryRun=All&dryRun=All', 'pretty'])]
      : []),
  ];
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Returns the query of a list. */
export function readQuery(choices: Choices, path: string): string {
  const selector = choices.weighted([
    [5, ''],
    [1, 'labelSelector=tier%3Dgold'],
    [1, 'labelSelector=tier%20in%20(gold,silver),app'],
    [1, 'labelSelector=!tier'],
    [1, 'labelSelector=tier!%3Dgold'],
    [
      0.3,
      `labelSelector=${choices.one(['a%3D%3D%3Db', '%3D', 'a%20in%20()', 'bad%20key', 'a>1', 'a>x', 'a,,b', '-a%3Db'])}`,
    ],
    [1, 'fieldSelector=metadata.name%3Da'],
    [0.5, 'fieldSelector=metadata.name!%3Da,metadata.namespace%3Djudge'],
    [
      0.5,
      `fieldSelector=${choices.one(['status.phase%3DPending', 'spec.nodeName%3Dn1', 'type%3DOpaque', 'spec.x%3Dy', 'x', '%3D'])}`,
    ],
  ] as const);
  const range = choices.weighted([
    [5, ''],
    [1, 'resourceVersion=0'],
    [1, 'limit=1'],
    [1, 'limit=2'],
    [1, `limit=1&continue={{continue ${path}}}`],
    [0.3, `continue={{continue ${path}}}&resourceVersion=1`],
    [0.3, 'continue=x'],
    [0.5, 'resourceVersion=1&resourceVersionMatch=NotOlderThan'],
    [0.3, 'resourceVersion=0&resourceVersionMatch=Exact'],
    [0.3, 'resourceVersionMatch=Exact'],
    [0.3, `resourceVersion=${choices.one(['x', '-1', '1.5'])}`],
    [0.3, `limit=${choices.one(['x', '-1', '', '99999999999999999999'])}`],
    [0.3, 'resourceVersion=1&resourceVersionMatch=x'],
    [0.2, 'resourceVersion=0&limit=1'],
    [
      0.2,
      choices.one([
        'sendInitialEvents=true',
        'timeoutSeconds=5',
        'watch=x',
        'watch=false',
        'watch=0',
        'allowWatchBookmarks=true',
      ]),
    ],
  ] as const);
  const query = [selector, range].filter((part) => part !== '').join('&');
  return query === '' ? '' : `?${query}`;
}
