import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Command } from './peers.ts';

/** Longest time between two answers of a program, in milliseconds. */
const TIMEOUT = 600_000;

/** A program that answers lines with lines of JSON. It ends at the end of its input. */
export class Conversation implements AsyncDisposable {
  readonly #child: ChildProcess & { stdin: Writable; stdout: Readable };
  readonly #lines: AsyncIterator<string>;

  constructor([file, ...args]: Command) {
    const child = spawn(file, args, {
      cwd: import.meta.dirname,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    // A program that ends early is reported by the answer that is missing.
    child.stdin.on('error', () => undefined);
    child.on('error', () => undefined);
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  say(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  async answer<T>(): Promise<T> {
    const late = setTimeout(() => this.#child.kill('SIGKILL'), TIMEOUT);
    const line = await this.#lines.next();
    clearTimeout(late);
    if (line.done) throw new Error(`${this.#child.spawnfile} ended without an answer: its errors are above`);
    return JSON.parse(line.value) as T;
  }

  async ask<T>(line: string): Promise<T> {
    this.say(line);
    return this.answer();
  }

  /** Returns the resident memory of the program in bytes. */
  rss(): number {
    const { pid } = this.#child;
    if (process.platform === 'linux') {
      const kilobytes = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return Number(kilobytes) * 1024;
    }
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    const exited = once(this.#child, 'exit');
    this.#child.stdin.end();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await exited;
    clearTimeout(late);
  }
}
