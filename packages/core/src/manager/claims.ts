/** The claims of all parts in use. A part has one owner at a time. */
const claimed = new WeakMap<object, Claims>();

/**
 * The providers, coordinators and runnables that one manager (or a provider made of other providers) uses. A part in
 * use elsewhere is refused before it is changed. Otherwise, two users would engage, disengage and stop the same
 * clusters without knowing of each other.
 */
export class Claims {
  readonly #user: string;
  readonly #remedy: string;
  readonly #parts = new Set<object>();

  /**
   * @param user name of the owner of these claims in errors, for example `another manager`.
   * @param remedy how to end its claims, for example `stop that manager`.
   */
  constructor({ user, remedy }: { readonly user: string; readonly remedy: string }) {
    this.#user = user;
    this.#remedy = remedy;
  }

  /**
   * Claims `part` until {@link release} or {@link releaseAll}.
   *
   * @param what name of the part in errors, for example `provider FileProvider`.
   * @returns `false` if these claims already include it.
   * @throws {TypeError} if another owner uses it.
   */
  take(part: object, what: string): boolean {
    const holder = claimed.get(part);
    if (holder === this) return false;
    if (holder) {
      throw new TypeError(`${what} is in use by ${holder.#user}: create a new one, or ${holder.#remedy} first`);
    }
    claimed.set(part, this);
    this.#parts.add(part);
    return true;
  }

  release(part: object): void {
    if (this.#parts.delete(part)) claimed.delete(part);
  }

  releaseAll(): void {
    for (const part of [...this.#parts]) this.release(part);
  }
}

/** Returns the name of a part in errors: its role, and its class if it has one. */
export function partText(role: 'provider' | 'coordinator' | 'runnable', part: object): string {
  const { name } = part.constructor;
  return name && name !== 'Object' ? `${role} ${name}` : `this ${role}`;
}
