import type { Aware, Clock, ClusterConfig, Manager } from '@mcr/core';
import { createCluster, InMemoryProvider, systemClock } from '@mcr/core';
import type { Member, MemberOptions } from '@mcr/provider-conformance/jest';
import { describeProvider } from '@mcr/provider-conformance/jest';
import { createMultiProvider } from './multi-provider.ts';

/** Distributes members between two providers by their names. */
const prefixOf = (name: string) => (name.length % 2 === 0 ? 'even' : 'odd');

/** Creates its clusters again at each run, because a cluster runs only once. */
class FleetOfMembers extends InMemoryProvider {
  readonly #members: ReadonlyMap<string, Member>;
  readonly #options: MemberOptions;
  #clock: Clock = systemClock;

  constructor(members: ReadonlyMap<string, Member>, options: MemberOptions) {
    super();
    this.#members = members;
    this.#options = options;
  }

  async setupWithManager({ clock }: Pick<Manager, 'clock'>): Promise<void> {
    this.#clock = clock;
  }

  follow({ name, labels, config }: Member): void {
    const { configure = (plain: ClusterConfig) => plain, clusterOptions } = this.#options;
    const info = { provider: 'in-memory', labels };
    this.set(name, () => createCluster(configure(config), { clock: this.#clock, ...clusterOptions, name, info }));
  }

  override async run(aware: Aware, signal: AbortSignal): Promise<void> {
    for (const member of this.#members.values()) this.follow(member);
    await super.run(aware, signal);
  }
}

describeProvider({
  name: 'multi',
  without: {
    break: 'that is for the providers within it',
    unready: 'that is for the providers within it',
    ready: 'that is for the providers within it',
    outage: 'that is for the providers within it',
    interrupt: 'that is for the providers within it',
  },
  async setup() {
    const inventories = { even: new Map<string, Member>(), odd: new Map<string, Member>() };
    let providers: Readonly<Record<keyof typeof inventories, FleetOfMembers>> | undefined;
    const set = async (member: Member): Promise<void> => {
      const prefix = prefixOf(member.name);
      inventories[prefix].set(member.name, member);
      providers?.[prefix].follow(member);
    };
    return {
      createProvider(options) {
        providers = {
          even: new FleetOfMembers(inventories.even, options),
          odd: new FleetOfMembers(inventories.odd, options),
        };
        const multi = createMultiProvider();
        for (const [prefix, provider] of Object.entries(providers)) void multi.addProvider(prefix, provider);
        return multi;
      },
      add: set,
      change: set,
      relabel: set,
      async remove(name) {
        const prefix = prefixOf(name);
        inventories[prefix].delete(name);
        await providers?.[prefix].delete(name, { reason: 'it was removed' });
      },
      clusterName: (name) => `${prefixOf(name)}#${name}`,
    };
  },
});
