import type { Kind, KubernetesObject, ObjectSchema } from '@mcr/core';
import { equalJson, isJsonObject } from './equal-json.ts';
import type { Denial, FieldCause } from './denial.ts';
import { deny } from './denial.ts';
import { OutOfTimeError, withinTime } from './within-time.ts';

type Path = readonly PropertyKey[];
type Parsed = ReturnType<ObjectSchema<unknown>['safeParse']>;
type Issue = ReturnType<typeof issuesOf>[number];

/** Number of issues of an update that are compared with those of the object before. Further ones are refused. */
const MAX_COMPARED = 10_000;
/** Number of issues that a denial is created from. */
const MAX_REPORTED = 1_000;
/**
 * Time to check an object, in milliseconds. A schema finds any number of issues in a small object, and its patterns take any time:
 * those of API servers take linear time, and those of JavaScript do not.
 */
const CHECK_TIME = 1_000;

/** Checks and completes objects with the schema of their kind. */
export class SchemaAdmission {
  readonly #schema: ObjectSchema<unknown>;
  readonly #name: string;

  /** @throws {TypeError} if the kind has no schema. */
  constructor(kind: Kind<KubernetesObject>) {
    if (!kind.schema) {
      throw new TypeError(
        `webhookFor: ${kind.apiVersion} ${kind.kind} has no schema for fromSchema: define the kind with a schema, or use validate`,
      );
    }
    this.#schema = kind.schema;
    this.#name = kind.kind;
  }

  /**
   * Adds the defaults of the schema to fields that are absent. Nothing else changes: fields that the schema does not know
   * stay, and so do values that it would transform.
   *
   * @returns a denial if the schema takes longer than a second.
   */
  complete(object: KubernetesObject): Denial | undefined {
    return this.#withinTime(
      () => this.#schema.safeParse(object),
      (parsed) => {
        if (parsed.success) addMissing(object, parsed.data);
        return undefined;
      },
    );
  }

  /**
   * Checks an object. An update may keep what the object has already: a value that did not change is not refused, so that
   * a stricter schema does not block other changes (KEP-4008 of Kubernetes). The first 10,000 issues of each object are
   * compared, and the first 1,000 that remain are reported. A check that takes longer than a second is ended, and refuses the
   * object.
   *
   * @param oldObject the object before an update.
   */
  check(object: unknown, oldObject?: unknown): Denial | undefined {
    return this.#withinTime(
      () => this.#causesOf(object, oldObject),
      (causes) => (causes.length === 0 ? undefined : deny(`${this.#name} is invalid`, { causes })),
    );
  }

  #causesOf(object: unknown, oldObject: unknown): readonly FieldCause[] {
    const parsed = this.#schema.safeParse(object);
    if (parsed.success) return [];
    const issues = issuesOf(parsed);
    const known = oldObject === undefined ? undefined : new KnownIssues(this.#schema, object, oldObject);
    const causes: FieldCause[] = [];
    for (const [index, issue] of issues.entries()) {
      if (index < MAX_COMPARED && known?.has(issue)) continue;
      causes.push({ field: fieldText(issue.path), message: issue.message });
      if (causes.length === MAX_REPORTED) break;
    }
    return causes;
  }

  /** Decides by the result of `work`, or denies if its time is up: an object must not pass because it takes long. */
  #withinTime<T>(work: () => T, decide: (result: T) => Denial | undefined): Denial | undefined {
    let result: T;
    try {
      result = withinTime(CHECK_TIME, work);
    } catch (error) {
      if (!(error instanceof OutOfTimeError)) throw error;
      const why = 'it has too many wrong values, or a pattern of the schema takes too long for one of them';
      return deny(`the check of ${this.#name} takes longer than ${CHECK_TIME} ms: ${why}`, {
        code: 422,
        reason: 'Invalid',
      });
    }
    return decide(result);
  }
}

function issuesOf(parsed: Parsed) {
  return parsed.success ? [] : parsed.error.issues;
}

/** The issues that an object had before an update. */
class KnownIssues {
  readonly #object: unknown;
  readonly #oldObject: unknown;
  readonly #known: ReadonlySet<string>;
  /** Whether the value at a path is unchanged. A schema may have many issues at one path. */
  readonly #unchanged = new Map<string, boolean>();

  constructor(schema: ObjectSchema<unknown>, object: unknown, oldObject: unknown) {
    this.#object = object;
    this.#oldObject = oldObject;
    this.#known = new Set(issuesOf(schema.safeParse(oldObject)).slice(0, MAX_COMPARED).map(keyOf));
  }

  /** Whether the object had the same issue, and its value is unchanged. */
  has(issue: Issue): boolean {
    return this.#known.has(keyOf(issue)) && this.#isUnchanged(issue.path);
  }

  #isUnchanged(path: Path): boolean {
    const key = JSON.stringify(path);
    const unchanged =
      this.#unchanged.get(key) ?? equalJson(valueAt(this.#object, path), valueAt(this.#oldObject, path));
    this.#unchanged.set(key, unchanged);
    return unchanged;
  }
}

function keyOf({ path, message }: Issue): string {
  return JSON.stringify([path, message]);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, name) => {
    const object = Object(at) as Readonly<Record<PropertyKey, unknown>>;
    return Object.hasOwn(object, name) ? object[name] : undefined;
  }, value);
}

/** Returns a path as Kubernetes writes it, for example `spec.ports[0].name`. */
function fieldText(path: Path): string {
  return path.reduce<string>((text, name) => {
    if (typeof name === 'number') return `${text}[${name}]`;
    return text === '' ? String(name) : `${text}.${String(name)}`;
  }, '');
}

/** Adds fields of `complete` that `target` lacks, in place. */
function addMissing(target: unknown, complete: unknown): void {
  if (Array.isArray(target) && Array.isArray(complete)) {
    if (target.length === complete.length) target.forEach((element, index) => addMissing(element, complete[index]));
    return;
  }
  if (!isJsonObject(target) || !isJsonObject(complete)) return;
  for (const [name, value] of Object.entries(complete)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(target, name)) define(target, name, structuredClone(value));
    else addMissing(target[name], value);
  }
}

/** Defines a field instead of assigning it, because an assignment to `__proto__` sets the prototype. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
