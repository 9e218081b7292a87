/** Types of JSON values. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [field: string]: Json | undefined };

/** A JSON object. */
export type JsonObject = Readonly<Record<string, Json | undefined>>;

/** The object that a server returned last for a path, with a change. */
export interface Changed {
  /** Path of the object. */
  readonly of: string;
  /** Metadata to set. A field that is `null` is removed. */
  readonly metadata?: JsonObject;
  /** Spec to set. */
  readonly spec?: Json;
  /** Seed of a change at a random place. */
  readonly mutation?: number;
}

/**
 * One request that is sent to both servers. Path and body may have references to what each server returned before:
 * `{{version PATH}}` and `{{uid PATH}}` are those of an object, `{{first PATH}}` is its first version, and `{{continue PATH}}`
 * is the last continue token of a collection.
 */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON value, text, bytes, or a change of what the server returned last. */
  readonly body?: Json | Buffer;
  readonly changed?: Changed;
  /** Path of the object that the request writes. Both servers delete it after a difference, so that the next one is a new one. */
  readonly writes?: string;
  /** For a watch: `initial` reads until the initial events end, `marker` until {@link MARKER} was written. */
  readonly until?: 'initial' | 'marker';
  /** Collection whose cache must be up to date before: a list of the newest version waits for it. */
  readonly settles?: string;
  /** Requests to send before this one, whose answers are not compared. */
  readonly before?: readonly Operation[];
  /** Requests to send after this one. Their answers are not compared. */
  readonly after?: readonly Operation[];
}

/** Name of the object that ends a watch. */
export const MARKER = 'marker';

export const JSON_TYPE = { 'content-type': 'application/json' } as const;

export const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
