import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

/**
 * Reads process ids line by line. When its input ends, which happens when the writing process ends in any way, it kills
 * the processes of the last line and deletes the directory, if one is given.
 */
const SCRIPT = `
while read -r line; do pids=$line; done
[ -z "$pids" ] || kill -KILL $pids 2>/dev/null
[ -z "$1" ] || rm -rf "$1" || { sleep 1; rm -rf "$1"; }`;

/** Shell that runs the guard. */
export const GUARD_SHELL = '/bin/sh';

/** Ends etcd and kube-apiserver when this process ends in any way. They would keep running otherwise. */
export class Guard {
  readonly #child: ChildProcess;

  /** @param directory directory to delete at the end. Default: none. */
  constructor(directory: string | undefined) {
    const args = ['-c', SCRIPT, 'mcr-envtest-guard', directory ?? ''];
    this.#child = spawn(GUARD_SHELL, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
    // Node types it as a plain stream, but it is a socket.
    (this.#child.stdin as Socket | null)?.unref();
  }

  /** Replaces the processes to end. */
  watch(pids: readonly number[]): void {
    this.#child.stdin?.write(`${pids.join(' ')}\n`);
  }

  /** Resolves when the processes have ended and the directory is deleted. */
  async release(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.ref();
    this.#child.stdin?.end();
    await once(this.#child, 'exit');
  }
}
