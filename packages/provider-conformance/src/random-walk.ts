import type { Member } from './contract.ts';
import { memberOf } from './member.ts';
import { Random } from './random.ts';
import type { Stage } from './stage.ts';
import type { System } from './system.ts';

/** Number of rounds. Each round ends with a check. */
const ROUNDS = 2;
/** Number of steps in each round, with one to three concurrent operations each. */
const STEPS = 10;
const NAMES = ['ann', 'bob', 'cid', 'dan', 'eve'];
const COLOURS = ['red', 'green', 'blue'];
/** Milliseconds between two steps, so that the provider notices none, some or all of the changes. */
const PAUSES = [0, 0, 10, 60];

/** A record of the inventory, as last written. */
interface Entry {
  readonly member: Member;
  readonly state: 'good' | 'broken' | 'unready';
}

interface Operation {
  readonly text: string;
  /** Operations on the same subject do not run concurrently. */
  readonly subject: string;
  readonly run: () => Promise<void>;
}

/** Subject of operations that affect all members. They run alone. */
const EVERYTHING = '*';

/** Changes an inventory, its members and its provider in an order that the seed determines. */
export class RandomWalk {
  /** Log of the steps. */
  readonly steps: string[] = [];
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #entries = new Map<string, Entry>();
  readonly #suspended = new Map<string, Member>();
  /** Possible records of each member, one for each of its control planes, by name. */
  readonly #homes = new Map<string, readonly Member[]>();
  #endOutage: (() => Promise<void>) | undefined;

  constructor(stage: Stage, seed: number) {
    this.#stage = stage;
    this.#random = new Random(seed);
  }

  /** @throws {Error} if the engaged clusters do not match the inventory some time after the changes have ended. */
  async play(): Promise<void> {
    for (const name of NAMES) this.#homes.set(name, [await this.#stage.member(name), await this.#stage.member(name)]);
    let system = await this.#stage.start();
    for (let round = 1; round <= ROUNDS; round++) {
      for (let step = 0; step < STEPS; step++) system = await this.#step(system);
      await this.#endOutages();
      await this.#untilQuiet(system);
      await this.#repairRecords();
      await this.#untilQuiet(system);
    }
    await this.#stage.stop(system);
  }

  async #step(system: System): Promise<System> {
    let current = system;
    const restart = async () => {
      await this.#stage.stop(current);
      current = await this.#stage.start();
    };
    const proposed = Array.from({ length: 1 + this.#random.below(3) }, () => this.#propose(current, restart));
    const operations = proposed.filter((operation) => operation !== undefined);
    const alone = operations.find(({ subject }) => subject === EVERYTHING);
    const chosen = alone
      ? [alone]
      : [...new Map(operations.map((operation) => [operation.subject, operation])).values()];
    this.steps.push(chosen.map(({ text }) => text).join(' & ') || 'nothing');
    await Promise.all(chosen.map(({ run }) => run()));
    await this.#stage.passes(this.#random.pick(PAUSES) ?? 0);
    return current;
  }

  #propose(system: System, restart: () => Promise<void>): Operation | undefined {
    const { setup } = this.#stage;
    const everything = (text: string, run: () => Promise<void>): Operation => ({ text, subject: EVERYTHING, run });
    switch (this.#random.below(14)) {
      case 0:
        return everything('restart the manager', restart);
      case 1:
        return everything('run the provider again', () => system.runAgain());
      case 2:
        return setup.outage && everything(this.#endOutage ? 'end the outage' : 'begin an outage', () => this.#outage());
      case 3:
        return setup.interrupt && !this.#endOutage
          ? everything('interrupt', () => this.#stage.inventory.interrupt())
          : undefined;
      case 4:
        return this.#proposeForPlane();
      default:
        // An inventory that cannot be read cannot be written either.
        return this.#endOutage ? undefined : this.#proposeForRecord();
    }
  }

  #proposeForPlane(): Operation | undefined {
    if (this.#stage.isVirtual) return undefined;
    const member = this.#random.pick(this.#homes.get(this.#random.pick(NAMES) ?? '') ?? []);
    if (!member) return undefined;
    const plane = this.#stage.planeOf(member);
    const isSuspended = this.#suspended.has(plane.name);
    return {
      text: `${isSuspended ? 'resume' : 'suspend'} ${plane.name} of ${member.name}`,
      subject: plane.name,
      run: () => {
        if (isSuspended) this.#suspended.delete(plane.name);
        else this.#suspended.set(plane.name, member);
        return isSuspended ? plane.resume() : plane.suspend();
      },
    };
  }

  #proposeForRecord(): Operation | undefined {
    const { setup, inventory } = this.#stage;
    const name = this.#random.pick(NAMES) ?? '';
    const entry = this.#entries.get(name);
    const write = (text: string, next: Entry | undefined, run: () => Promise<void>): Operation => {
      return {
        text: `${text} ${name}`,
        subject: name,
        run: async () => {
          if (next) this.#entries.set(name, next);
          else this.#entries.delete(name);
          await run();
        },
      };
    };
    if (!entry) {
      const member = this.#random.pick(this.#homes.get(name) ?? []);
      return member && write('add', { member, state: 'good' }, () => inventory.add(member));
    }
    const { member, state } = entry;
    switch (this.#random.below(7)) {
      case 0:
      case 1:
        return write('remove', undefined, () => inventory.remove(name));
      case 2:
        return this.#proposeChange(entry, write);
      case 3: {
        if (!setup.relabel || state !== 'good') return undefined;
        const labels = { colour: this.#random.pick(COLOURS) ?? '' };
        const relabelled = memberOf(name, member.config, labels);
        return write(`label ${labels.colour}`, { member: relabelled, state }, () => inventory.relabel(relabelled));
      }
      case 4:
        if (!setup.break || !setup.change || state !== 'good') return undefined;
        return write('break', { member, state: 'broken' }, () => inventory.break(name));
      case 5:
        if (!setup.unready || !setup.ready || state === 'broken') return undefined;
        return state === 'good'
          ? write('make unready', { member, state: 'unready' }, () => inventory.unready(name))
          : write('make ready', { member, state: 'good' }, () => inventory.ready(name));
      default:
        return setup.change && state === 'good'
          ? write('write again', entry, () => inventory.change(member))
          : undefined;
    }
  }

  #proposeChange(
    { member, state }: Entry,
    write: (text: string, next: Entry, run: () => Promise<void>) => Operation,
  ): Operation | undefined {
    const { setup, inventory } = this.#stage;
    if (!setup.change || state === 'unready') return undefined;
    const home = this.#random.pick(this.#homes.get(member.name) ?? []);
    if (!home) return undefined;
    const moved = memberOf(member.name, home.config, member.labels);
    return write(`lead to ${home.config.server} by`, { member: moved, state: 'good' }, () => inventory.change(moved));
  }

  async #outage(): Promise<void> {
    const end = this.#endOutage;
    this.#endOutage = end ? undefined : await this.#stage.inventory.outage();
    await end?.();
  }

  /** Ends outages of the inventory and of members. Invalid records stay invalid. */
  async #endOutages(): Promise<void> {
    this.steps.push('end all outages');
    if (this.#endOutage) await this.#outage();
    for (const member of this.#suspended.values()) await this.#stage.planeOf(member).resume();
    this.#suspended.clear();
  }

  async #repairRecords(): Promise<void> {
    this.steps.push('repair all records');
    for (const [name, { member, state }] of this.#entries) {
      if (state === 'broken') await this.#stage.inventory.change(member);
      if (state === 'unready') await this.#stage.inventory.ready(name);
      this.#entries.set(name, { member, state: 'good' });
    }
  }

  async #untilQuiet(system: System): Promise<void> {
    const entries = [...this.#entries.values()];
    const good = entries.filter(({ state }) => state === 'good').map(({ member }) => member);
    // A member with an invalid record may be engaged or not, depending on whether an earlier record was read.
    const perhaps = entries.filter(({ state }) => state === 'broken').map(({ member }) => member);
    await this.#stage.untilEngaged(system, good, 'the latest state of the inventory decides; replay the seed', {
      perhaps,
    });
  }
}
