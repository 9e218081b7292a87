import { ownField } from '@mcr/core/provider';
import { k8s, type StructuralSchema } from '@mcr/kinds';
import { coreOf } from '../terms/schema-terms.ts';
import { kubernetesType } from './kubernetes-types.ts';
import { MAX_INLINE_UNION, unionOf } from '../text/interface-text.ts';
import { camelCase, type TypeNames } from './type-names.ts';

/** A schema, and the name of its type. */
export interface Root {
  readonly schema: StructuralSchema;
  readonly name: string;
}

/** The places of one schema. */
export interface Place {
  /** The name of the type: what Kubernetes calls it, or the path of the place that is least deep. */
  readonly name: string;
  /** Names of the type at other places, where Kubernetes calls it differently, or by their paths. */
  readonly otherNames: readonly string[];
  /** Number of places. */
  readonly uses: number;
}

interface Step extends Root {
  /** The name of the type in Kubernetes. */
  readonly type?: string | undefined;
}

/**
 * The places of the schemas of a module. The names of their types depend on paths and fields alone, so that a type keeps its name
 * from version to version of the definition.
 */
export class Places {
  readonly #places = new Map<string, { name: string; otherNames: string[]; uses: number }>();

  /** @param kind begins the names of the types that Kubernetes has a name for. */
  constructor(names: TypeNames, kind: string, roots: readonly Root[]) {
    // Breadth first: a schema gets the name of its first place, which is the least deep. What is in it is visited once.
    const steps: Step[] = [...roots];
    for (const { schema, name: path, type } of steps) {
      const core = coreOf(schema);
      const kubernetes = type ?? kubernetesType(core);
      const short = kubernetes !== undefined && core.properties ? `${kind}${kubernetes}` : path;
      const known = this.#places.get(keyOf(core));
      if (known) {
        known.uses += 1;
        const other = names.isTaken(short) && short !== known.name ? path : short;
        if (isNamed(core) && !names.isTaken(other)) known.otherNames.push(names.type(other));
        continue;
      }
      const wanted = names.isTaken(short) ? path : short;
      const name = isNamed(core) ? names.type(wanted) : wanted;
      this.#places.set(keyOf(core), { name, otherNames: [], uses: 1 });
      steps.push(...inner(core, name, kubernetes));
    }
  }

  /** Returns the place of a schema without what belongs to its place. */
  of(core: StructuralSchema): Place {
    const place = this.#places.get(keyOf(core));
    if (!place) throw new Error('the schema is not one of the module');
    return place;
  }
}

function keyOf(core: StructuralSchema): string {
  return JSON.stringify(core);
}

/** Whether the type of a schema has a name. */
function isNamed({ properties, enum: values }: StructuralSchema): boolean {
  return properties !== undefined || unionOf(values).length > MAX_INLINE_UNION;
}

/** Returns the schemas in a schema. The type of a list is that of its items. */
function inner(core: StructuralSchema, name: string, type: string | undefined): Step[] {
  const { properties = {}, items, additionalProperties } = core;
  const types = type === undefined ? {} : k8s.fieldTypes(type);
  return [
    ...Object.entries(properties).map(([field, schema]) => ({
      ...{ schema, name: `${name}${camelCase(field)}`, type: ownField(types, field) },
    })),
    ...(items ? [{ schema: items, name: `${name}Item`, type }] : []),
    ...(additionalProperties ? [{ schema: additionalProperties, name: `${name}Value`, type }] : []),
  ];
}
