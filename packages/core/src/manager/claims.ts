/** The claims of all parts in use. A part has one owner at a time. */
const claimed = new WeakMap<object, Claims>();

/**
 * The parts (providers, coordinators and runnables) that one owner uses: a manager, or a provider that combines others.
 * A part that another owner uses is refused, because two owners would engage, disengage and stop the same clusters.
 */
export class Claims {
  readonly #user: string;
  readonly #remedy: string;
  readonly #parts = new Set<object>();

  /**
   * @param options.user name of the owner in errors, for example `another manager`.
   * @param options.remedy advice in errors how to end its claims, for example `stop that manager`.
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

  /** Ends the claim of `part`. Has no effect if these claims do not include it. */
  release(part: object): void {
    if (this.#parts.delete(part)) claimed.delete(part);
  }

  /** Ends all claims. */
  releaseAll(): void {
    for (const part of [...this.#parts]) this.release(part);
  }
}

/** Returns the name of a part in errors: its role, and its class if it has one. */
export function partText(role: 'provider' | 'coordinator' | 'runnable', part: object): string {
  const { name } = part.constructor;
  return name && name !== 'Object' ? `${role} ${name}` : `this ${role}`;
}
