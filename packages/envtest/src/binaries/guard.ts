import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

/**
 * Reads the processes that run, line by line; at the end of its input, which is also the end of the process that writes
 * it, kills those of the last line and removes the directory, if one is given.
 */
const SCRIPT = `
while read -r line; do pids=$line; done
[ -z "$pids" ] || kill -KILL $pids 2>/dev/null
[ -z "$1" ] || rm -rf "$1" || { sleep 1; rm -rf "$1"; }`;

/** Sees to it that nothing outlives this process, however that ends: etcd and kube-apiserver themselves would. */
export class Guard {
  readonly #child: ChildProcess;

  /** @param directory what is removed at the end; none: nothing. */
  constructor(directory: string | undefined) {
    const args = ['-c', SCRIPT, 'mcr-envtest-guard', directory ?? ''];
    this.#child = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
    // Node types it as any stream; it is a socket.
    (this.#child.stdin as Socket | null)?.unref();
  }

  /** From now on these are the processes to end. */
  watch(pids: readonly number[]): void {
    this.#child.stdin?.write(`${pids.join(' ')}\n`);
  }

  /** Resolves when the processes are ended and the directory is gone. */
  async release(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.ref();
    this.#child.stdin?.end();
    await once(this.#child, 'exit');
  }
}
