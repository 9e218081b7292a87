import type { ClusterName } from '@mcr/core';
import type { Random } from '@mcr/envtest';
import type { ChurnFleet } from './fleet.ts';
import type { Declared } from './inventory.ts';
import type { ChurnMember } from './member.ts';

/** Something that befalls a fleet. */
export interface Deed {
  readonly text: string;
  /** Two deeds with one subject are not done at once. */
  readonly subject: string;
  readonly run: () => Promise<void>;
}

export interface DeedsOptions {
  readonly random: Random;
  readonly fleet: ChurnFleet;
  /** Whether the manager has taken in what is declared of a cluster. */
  readonly isSettled: (name: ClusterName) => boolean;
}

/** More names than members, so that one member is sometimes known by two. */
const NAMES = 15;
const CONFIG_MAPS = 6;

/** The {@link Deed.subject} of what is done alone. */
export const EVERYTHING = 'everything';

/** Chooses what befalls a fleet next. */
export class Deeds {
  readonly #options: DeedsOptions;
  #count = 0;

  constructor(options: DeedsOptions) {
    this.#options = options;
  }

  /** `undefined`: what came to mind is not possible now. */
  next(): Deed | undefined {
    const chance = this.#options.random.next();
    if (chance < 0.4) return this.#toSecret();
    if (chance < 0.65) return this.#toConfigMap();
    if (chance < 0.88) return this.#toMember();
    if (chance < 0.96) return this.#toHub();
    return this.#toProcess();
  }

  #toSecret(): Deed | undefined {
    const { random, isSettled } = this.#options;
    const { inventory, hub } = this.#options.fleet;
    const name = `cluster-${random.below(NAMES)}`;
    const member = this.#reachable();
    if (!hub.isUp || !member) return undefined;
    const declared = inventory.declared.get(name);
    const chance = random.next();
    const deed = (text: string, run: () => Promise<void>): Deed => ({ text: `${text} ${name}`, subject: name, run });
    const change = (text: string, change: Partial<Declared>, from: Declared) =>
      deed(text, () => inventory.declare(name, { ...from, ...change }));

    if (!declared) {
      const isBroken = chance < 0.15 && !inventory.known.has(name);
      return deed(`declare${isBroken ? ' broken' : ''} at ${member.plane.name}:`, async () =>
        inventory.declare(name, {
          member,
          credentials: await member.plane.issueToken(),
          isLabelled: isBroken || chance < 0.9,
          content: isBroken ? 'broken-absent' : 'good',
        }),
      );
    }
    if (chance < 0.12) return deed('remove', () => inventory.remove(name));
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
    return deed(`${chance < 0.8 ? 'rotate' : 'retarget'} to ${target.plane.name}:`, async () => {
      await inventory.declare(name, { ...declared, member: target, credentials: await target.plane.issueToken() });
      if (declared.member.isAlive) await declared.member.plane.revokeToken(declared.credentials);
    });
  }

  #toConfigMap(): Deed | undefined {
    const member = this.#reachable();
    if (!member?.isUp) return undefined;
    const { random } = this.#options;
    const name = `object-${random.below(CONFIG_MAPS)}`;
    const subject = `${name} in ${member.plane.name}`;
    return random.next() < 0.25
      ? { text: `delete ${subject}`, subject, run: () => member.remove(name) }
      : { text: `put ${subject}`, subject, run: () => member.put(name, String(++this.#count)) };
  }

  #toMember(): Deed | undefined {
    const member = this.#reachable();
    return member && this.#harm(member);
  }

  #toHub(): Deed | undefined {
    return this.#harm(this.#options.fleet.hub);
  }

  #harm(member: ChurnMember): Deed {
    const { plane } = member;
    const deed = (text: string, run: () => Promise<void>): Deed => ({
      text: `${text} ${plane.name}`,
      subject: plane.name,
      run,
    });
    if (!member.isUp) return deed('resume', () => member.resume());
    const chance = this.#options.random.next();
    if (chance < 0.3) return deed('cut', () => plane.cutConnections());
    if (chance < 0.5) return deed('end the watches of', () => plane.endWatches());
    if (chance < 0.7) {
      return deed('cut and compact', async () => {
        await plane.cutConnections();
        await plane.compact();
      });
    }
    // What is written to the hub has to be known.
    const subject = member === this.#options.fleet.hub ? EVERYTHING : plane.name;
    return { ...deed('suspend', () => member.suspend()), subject };
  }

  #toProcess(): Deed | undefined {
    const { random, fleet } = this.#options;
    const process = random.pick(fleet.processes);
    if (!process) return undefined;
    // Nothing else can be asked of any of its members meanwhile.
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

/** The same server by another name of its host. */
function elsewhere({ config, kubeconfig }: Declared['credentials']): Declared['credentials'] {
  const [from, to] = config.server.includes('localhost') ? ['localhost', '127.0.0.1'] : ['127.0.0.1', 'localhost'];
  return {
    config: { ...config, server: config.server.replace(from, to) },
    kubeconfig: kubeconfig.replaceAll(from, to),
  };
}
