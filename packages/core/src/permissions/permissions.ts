import type { DeclaredPermission, Permission } from './permission.ts';
import { checkPermissions } from './permission.ts';

interface Declaration {
  readonly neededBy: string;
  readonly permissions: () => readonly Permission[];
}

/**
 * The permissions that the parts of a program declare. They have no effect on a running program: `mcr generate` of
 * `@mcr/cli` writes them as RBAC manifests.
 */
export class Permissions {
  readonly #declarations: Declaration[] = [];

  /**
   * Declares permissions.
   *
   * @param neededBy the part of the program that needs them, for example `controller "shop"`.
   * @param permissions a function is called by each {@link list}.
   * @throws {TypeError} if a permission is invalid. For those of a function, {@link list} throws it.
   */
  require(neededBy: string, permissions: readonly Permission[] | (() => readonly Permission[])): void {
    if (typeof permissions === 'function') {
      this.#declarations.push({ neededBy, permissions });
    } else {
      checkPermissions(neededBy, permissions);
      this.#declarations.push({ neededBy, permissions: () => permissions });
    }
  }

  /** Returns all declared permissions, in the order of their declaration. */
  list(): DeclaredPermission[] {
    return this.#declarations.flatMap(({ neededBy, permissions: declared }) => {
      const permissions = declared();
      checkPermissions(neededBy, permissions);
      return permissions.map((permission) => ({ ...permission, neededBy }));
    });
  }
}
