import * as z from 'zod';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { isSimplePath, schemaAt } from './json-path.ts';

/** Paths of the `scale` subresource, for `kubectl scale` and HorizontalPodAutoscalers. */
export interface ScalePaths {
  /** Path of the wanted number of replicas, an integer: `.spec.replicas`. */
  readonly specReplicasPath: string;
  /** Path of the current number of replicas, an integer: `.status.replicas`. */
  readonly statusReplicasPath: string;
  /** Path of a label selector in a string, which HorizontalPodAutoscalers need: `.status.selector`. */
  readonly labelSelectorPath?: string;
}

const path = z.string().min(1).max(1000);

export const scaleSchema = z.strictObject({
  specReplicasPath: path,
  statusReplicasPath: path,
  labelSelectorPath: z.exactOptional(path),
} satisfies Record<keyof ScalePaths, z.ZodType>);

/** @throws {TypeError} that names the path, if it does not lead to a value of the right type. */
export function checkScale(scale: ScalePaths, root: StructuralSchema): void {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  checkPath({ option: 'scale.specReplicasPath', path: specReplicasPath, below: ['.spec.'], type: 'integer' }, root);
  checkPath(
    { option: 'scale.statusReplicasPath', path: statusReplicasPath, below: ['.status.'], type: 'integer' },
    root,
  );
  if (labelSelectorPath === undefined) return;
  const option = 'scale.labelSelectorPath';
  checkPath({ option, path: labelSelectorPath, below: ['.spec.', '.status.'], type: 'string' }, root);
}

/** Limit of the API server. */
const MAX_SELECTABLE_FIELDS = 8;

export const selectableFieldsSchema = z.array(path).max(MAX_SELECTABLE_FIELDS);

/** @throws {TypeError} that names a path that is not a string, an integer or a boolean. */
export function checkSelectableFields(paths: readonly string[], root: StructuralSchema): void {
  for (const each of paths) {
    checkPath({ option: 'selectableFields', path: each, below: ['.spec.', '.status.'], type: undefined }, root);
  }
}

interface PathRule {
  readonly option: string;
  readonly path: string;
  readonly below: readonly string[];
  /** Default: a string, an integer or a boolean. */
  readonly type: 'integer' | 'string' | undefined;
}

function checkPath({ option, path: text, below, type }: PathRule, root: StructuralSchema): void {
  if (!isSimplePath(text) || !below.some((prefix) => text.startsWith(prefix))) {
    const example = below.map((prefix) => `${prefix}name`).join(' or ');
    throw new TypeError(`${option}: ${text} is not a path of names: use a path such as ${example}`);
  }
  let found: StructuralSchema;
  try {
    found = schemaAt(root, text);
  } catch (error) {
    throw new TypeError(`${option}: ${(error as Error).message}`, { cause: error });
  }
  const types = type ? [type] : ['string', 'integer', 'boolean'];
  if (found.type !== undefined && types.includes(found.type)) return;
  throw new TypeError(
    `${option}: ${text} is ${found.type === undefined ? 'of any type' : `of type ${found.type}`}, and must be of type ${types.join(', ')}: use another field`,
  );
}
