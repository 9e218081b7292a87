import type { ClusterName } from '@mcr/core';
import type { Random } from '@mcr/envtest';
import type { ChurnFleet } from './fleet.ts';
import type { Declared } from './inventory.ts';
import type { ChurnMember } from './member.ts';

/** A change to a fleet. */
export interface Action {
  readonly text: string;
  /** Two actions with the same subject do not run concurrently. */
  readonly subject: string;
  readonly run: () => Promise<void>;
}

export interface ActionsOptions {
  readonly random: Random;
  readonly fleet: ChurnFleet;
  /** Reports whether the manager has processed the latest declaration of a cluster. */
  readonly isSettled: (name: ClusterName) => boolean;
}

/** More names than members, so that one member sometimes has two names. */
const NAMES = 15;
const CONFIG_MAPS = 6;

/** The {@link Action.subject} of an action that runs alone. */
export const EVERYTHING = 'everything';

/** Chooses the next change to a fleet. */
export class Actions {
  readonly #options: ActionsOptions;
  #count = 0;

  constructor(options: ActionsOptions) {
    this.#options = options;
  }

  /** Returns `undefined` if the chosen change is not possible now. */
  next(): Action | undefined {
    const chance = this.#options.random.next();
    if (chance < 0.4) return this.#toSecret();
    if (chance < 0.65) return this.#toConfigMap();
    if (chance < 0.88) return this.#toMember();
    if (chance < 0.96) return this.#toHub();
    return this.#toProcess();
  }

  #toSecret(): Action | undefined {
    const { random, isSettled } = this.#options;
    const { inventory, hub } = this.#options.fleet;
    const name = `cluster-${random.below(NAMES)}`;
    const member = this.#reachable();
    if (!hub.isUp || !member) return undefined;
    const declared = inventory.declared.get(name);
    const chance = random.next();
    const action = (text: string, run: () => Promise<void>): Action => ({
      text: `${text} ${name}`,
      subject: name,
      run,
    });
    const change = (text: string, change: Partial<Declared>, from: Declared) =>
      action(text, () => inventory.declare(name, { ...from, ...change }));

    if (!declared) {
      const isBroken = chance < 0.15 && !inventory.known.has(name);
      return action(`declare${isBroken ? ' broken' : ''} at ${member.plane.name}:`, async () =>
        inventory.declare(name, {
          member,
          credentials: await member.plane.issueToken(),
          isLabelled: isBroken || chance < 0.9,
          content: isBroken ? 'broken-absent' : 'good',
        }),
      );
    }
    if (chance < 0.12) return action('remove', () => inventory.remove(name));
    if (declared.content !== 'good') return change('repair', { content: 'good' }, declared);
    if (chance < 0.22) return change('relabel', { isLabelled: !declared.isLabelled }, declared);
    if (chance < 0.28) return change('empty', { content: 'keyless' }, declared);
    if (chance < 0.4) {
      const content = declared.isLabelled && isSettled(name) ? 'broken-engaged' : 'broken-unknown';
      return change('break', { content }, declared);
    }
    if (chance < 0.5) return change('readdress', { credentials: elsewhere(declared.credentials) }, declared);
    const target = chance < 0.8 ? declared.member : member;
    if (!target.isAlive) return undefined;
    return action(`${chance < 0.8 ? 'rotate' : 'retarget'} to ${target.plane.name}:`, async () => {
      await inventory.declare(name, { ...declared, member: target, credentials: await target.plane.issueToken() });
      if (declared.member.isAlive) await declared.member.plane.revokeToken(declared.credentials);
    });
  }

  #toConfigMap(): Action | undefined {
    const member = this.#reachable();
    if (!member?.isUp) return undefined;
    const { random } = this.#options;
    const name = `object-${random.below(CONFIG_MAPS)}`;
    const subject = `${name} in ${member.plane.name}`;
    return random.next() < 0.25
      ? { text: `delete ${subject}`, subject, run: () => member.remove(name) }
      : { text: `put ${subject}`, subject, run: () => member.put(name, String(++this.#count)) };
  }

  #toMember(): Action | undefined {
    const member = this.#reachable();
    return member && this.#harm(member);
  }

  #toHub(): Action | undefined {
    return this.#harm(this.#options.fleet.hub);
  }

  #harm(member: ChurnMember): Action {
    const { plane } = member;
    const action = (text: string, run: () => Promise<void>): Action => ({
      text: `${text} ${plane.name}`,
      subject: plane.name,
      run,
    });
    if (!member.isUp) return action('resume', () => member.resume());
    const chance = this.#options.random.next();
    if (chance < 0.3) return action('cut', () => plane.cutConnections());
    if (chance < 0.5) return action('end the watches of', () => plane.endWatches());
    if (chance < 0.7) {
      return action('cut and compact', async () => {
        await plane.cutConnections();
        await plane.compact();
      });
    }
    // No action that writes to the hub may run now: its result would be unknown.
    const subject = member === this.#options.fleet.hub ? EVERYTHING : plane.name;
    return { ...action('suspend', () => member.suspend()), subject };
  }

  #toProcess(): Action | undefined {
    const { random, fleet } = this.#options;
    const process = random.pick(fleet.processes);
    if (!process) return undefined;
    // No other action may use a member of this process now.
    const subject = EVERYTHING;
    return process.isUp
      ? { text: `kill ${process.name}`, subject, run: () => process.kill() }
      : { text: `restart ${process.name}`, subject, run: () => process.restart() };
  }

  #reachable(): ChurnMember | undefined {
    const { random, fleet } = this.#options;
    return random.pick(fleet.members.filter(({ isAlive }) => isAlive));
  }
}

/** Returns credentials for the same server under another host name. */
function elsewhere({ config, kubeconfig }: Declared['credentials']): Declared['credentials'] {
  const [from, to] = config.server.includes('localhost') ? ['localhost', '127.0.0.1'] : ['127.0.0.1', 'localhost'];
  return {
    config: { ...config, server: config.server.replace(from, to) },
    kubeconfig: kubeconfig.replaceAll(from, to),
  };
}
