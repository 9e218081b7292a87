import type { ServerResponse } from 'node:http';
import type { Clock, Logger } from '@mcr/client';
import { foundText, shortened } from '@mcr/client';
import type { HttpHandler } from '../http/http-handler.ts';
import { answerText } from '../http/http-handler.ts';
import { Deadline } from './deadline.ts';
import type { HealthCheck } from './health-check.ts';

/** Maximum size of a logged reason, in bytes. */
const MAX_REASON = 1_024;

export interface HealthEndpointOptions {
  /** For example `/readyz`. */
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Outcome {
  readonly name: string;
  readonly state: 'ok' | 'excluded' | 'failed';
}

/**
 * An endpoint for probes. It serves all checks together under its path, and each check under a subpath, in the format
 * of controller-runtime's `pkg/healthz`.
 */
export class HealthEndpoint {
  readonly #options: HealthEndpointOptions;
  readonly #checks = new Map<string, HealthCheck>();
  /** Names of the checks whose last result was a failure, which has been logged. */
  readonly #failing = new Set<string>();
  /** Names of the checks that have passed. Before that, the program is starting. */
  readonly #passed = new Set<string>();

  constructor(options: HealthEndpointOptions) {
    this.#options = options;
  }

  /** @throws {TypeError} if the name is in use or cannot be part of a path, or `check` is not a function. */
  add(name: string, check: HealthCheck): void {
    const { path } = this.#options;
    if (typeof name !== 'string' || !/^[\w.-]+$/u.test(name)) {
      const found = typeof name === 'string' ? JSON.stringify(name) : foundText(name);
      throw new TypeError(`${path}: the name of a check is part of a path, and cannot be ${found}`);
    }
    if (typeof check !== 'function') {
      throw new TypeError(
        `${path}: check ${JSON.stringify(name)}: expected a function, found ${foundText(check)}: pass one that throws if the check fails`,
      );
    }
    if (this.#checks.has(name))
      throw new TypeError(`${path}: check ${JSON.stringify(name)} exists already: choose another name`);
    this.#checks.set(name, check);
  }

  /** Returns the handler of a path of this endpoint. */
  route(path: string): HttpHandler | undefined {
    const prefix = this.#options.path;
    if (path === prefix || path === `${prefix}/`) return (request, response) => this.#answerAll(request.url, response);
    if (!path.startsWith(`${prefix}/`)) return undefined;
    const check = this.#find(path.slice(prefix.length + 1));
    return check && ((_, response) => this.#answerOne(check, response));
  }

  /** Without other checks, the endpoint has the check `ping`, which always succeeds. */
  #find(name: string): HealthCheck | undefined {
    return this.#checks.get(name) ?? (this.#checks.size === 0 && name === 'ping' ? () => undefined : undefined);
  }

  async #answerOne(check: HealthCheck, response: ServerResponse): Promise<void> {
    const deadline = new Deadline(this.#options.clock, response);
    try {
      await deadline.run(check);
      answerText(response, 200, 'ok');
    } catch (error) {
      answerText(response, 500, `internal server error: ${error instanceof Error ? error.message : String(error)}\n`);
    } finally {
      deadline.cancel();
    }
  }

  async #answerAll(url: string | undefined, response: ServerResponse): Promise<void> {
    const { searchParams } = new URL(url ?? '', 'http://localhost');
    const excluded = new Set(searchParams.getAll('exclude'));
    const deadline = new Deadline(this.#options.clock, response);
    const outcomes = await Promise.all(
      [...this.#named()].map(async ([name, check]): Promise<Outcome> =>
        excluded.has(name) ? { name, state: 'excluded' } : this.#outcome(name, check, deadline),
      ),
    );
    deadline.cancel();
    outcomes.sort((a, b) => (a.name < b.name ? -1 : 1));
    const failed = outcomes.some(({ state }) => state === 'failed');
    if (!failed && !searchParams.has('verbose')) answerText(response, 200, 'ok');
    else answerText(response, failed ? 500 : 200, report(outcomes, excluded, failed));
  }

  #named(): Iterable<[string, HealthCheck]> {
    return this.#checks.size === 0 ? [['ping', () => undefined]] : this.#checks;
  }

  async #outcome(name: string, check: HealthCheck, deadline: Deadline): Promise<Outcome> {
    const { path, logger } = this.#options;
    try {
      await deadline.run(check);
      if (this.#failing.delete(name)) {
        const fields = { path, check: name };
        if (this.#passed.has(name)) logger.info('health check succeeded again', fields);
        else logger.info('health check succeeded', fields);
      }
      this.#passed.add(name);
      return { name, state: 'ok' };
    } catch (error) {
      // The response does not include the reason, because anyone may send probes.
      const level = this.#failing.has(name) ? 'debug' : 'info';
      this.#failing.add(name);
      if (this.#passed.has(name)) logger[level]('health check failed', { path, check: name, error });
      else logger[level]('health check has not succeeded yet', { path, check: name, reason: reasonOf(error) });
      return { name, state: 'failed' };
    }
  }
}

/** Returns the message. A program that starts has not failed, so its log has no error. */
function reasonOf(error: unknown): string {
  return shortened(error instanceof Error ? error.message : String(error), MAX_REASON);
}

function report(outcomes: readonly Outcome[], excluded: ReadonlySet<string>, failed: boolean): string {
  const lines = outcomes.map(({ name, state }) => {
    if (state === 'failed') return `[-]${name} failed: reason withheld`;
    return state === 'excluded' ? `[+]${name} excluded: ok` : `[+]${name} ok`;
  });
  const unknown = [...excluded].filter((name) => !outcomes.some((outcome) => outcome.name === name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(', ');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  return `${[...lines, `healthz check ${failed ? 'failed' : 'passed'}`].join('\n')}\n`;
}
