import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { atExit } from './at-exit.ts';
import { fleetKubeconfig } from './fleet-kubeconfig.ts';

/** Files with the kubeconfigs of a fleet, in a temporary directory. Only their owner can read them. */
export class Kubeconfigs implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'mcr-dev-'));

  readonly #guard = atExit(() => this.#remove());

  constructor() {
    mkdirSync(this.members);
  }

  /** Path of the kubeconfig of the hub, with a context for each member. */
  get hub(): string {
    return join(this.#directory, 'hub.kubeconfig');
  }

  /** Directory with the kubeconfigs of the members, for the file provider. */
  get members(): string {
    return join(this.#directory, 'members');
  }

  write(fleet: ControlPlaneFleet): void {
    writeFileSync(this.hub, fleetKubeconfig(fleet), { mode: 0o600 });
    for (const { name, kubeconfig } of fleet.members) {
      writeFileSync(join(this.members, `${name}.kubeconfig`), kubeconfig, { mode: 0o600 });
    }
  }

  [Symbol.dispose](): void {
    this.#guard[Symbol.dispose]();
    this.#remove();
  }

  #remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
