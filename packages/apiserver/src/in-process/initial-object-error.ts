import type { ObjectManifest } from '../protocol.ts';

/** An initial object, or a definition, of a server in the process cannot be stored. */
export class InitialObjectError extends Error {
  override readonly name = 'InitialObjectError';
  /** Option that has the object. */
  readonly option: 'crds' | 'objects';
  /** Position of the object in the option. */
  readonly index: number;
  /** The message without the option: the object and the reason. */
  readonly detail: string;

  constructor({
    option,
    index,
    object,
    cause,
  }: Pick<InitialObjectError, 'option' | 'index'> & { readonly object: ObjectManifest; readonly cause: unknown }) {
    const { apiVersion, kind, metadata } = object;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const detail = `${apiVersion} ${kind} ${metadata.name}: ${reason}`;
    super(`${option}[${index}]: ${detail}`, { cause });
    this.option = option;
    this.index = index;
    this.detail = detail;
  }
}
