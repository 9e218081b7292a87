/** A port of a container. */
export interface Port {
  readonly field: string;
  readonly name: string;
  readonly address: string;
  readonly host: number;
  readonly own: number;
  readonly protocol: string;
}

/** How two ports contradict one another. */
export type Contradiction = 'duplicate' | 'overlapping' | 'dangerously ambiguous';

interface Entry {
  readonly index: number;
  readonly port: Port;
}

/** Ports with the same number and protocol. Each list is in the order of the ports. */
interface Group {
  readonly all: Entry[];
  /** Key: the port of the host, 0 if it has none. */
  readonly byHost: Map<number, Entry[]>;
  /** Key: the port of the host and the address. */
  readonly byAddress: Map<string, Entry[]>;
}

/** The ports of a Pod, indexed so that each lookup takes time only for the ports that contradict one another. */
export class PortIndex {
  readonly #groups = new Map<string, Group>();
  #size = 0;

  add(port: Port): void {
    const entry = { index: this.#size, port };
    this.#size += 1;
    const key = groupKey(port);
    const group: Group = this.#groups.get(key) ?? { all: [], byHost: new Map(), byAddress: new Map() };
    this.#groups.set(key, group);
    group.all.push(entry);
    push(group.byHost, port.host, entry);
    push(group.byAddress, addressKey(port.host, port.address), entry);
  }

  /** Yields the ports that contradict `port`, in the order in which they were added. */
  *contradicting(port: Port): Generator<readonly [other: Port, how: Contradiction]> {
    const group = this.#groups.get(groupKey(port));
    if (!group) return;
    for (const { port: other } of inOrder(candidates(group, port))) yield [other, contradiction(port, other)];
  }
}

/** Returns disjoint lists of all ports that contradict `port`, and of no others. */
function candidates({ all, byHost, byAddress }: Group, { host, address }: Port): (readonly Entry[])[] {
  if (host === 0) return [all];
  const sameHost =
    address === ''
      ? [byHost.get(host) ?? []]
      : [byAddress.get(addressKey(host, address)) ?? [], byAddress.get(addressKey(host, '')) ?? []];
  return [byHost.get(0) ?? [], ...sameHost];
}

/** Merges sorted lists without reading more of them than is consumed. */
function* inOrder(lists: readonly (readonly Entry[])[]): Generator<Entry> {
  const positions = lists.map(() => 0);
  for (;;) {
    let next: Entry | undefined;
    let from = 0;
    for (const [list, entries] of lists.entries()) {
      const entry = entries[positions[list] ?? 0];
      if (!entry || (next && next.index < entry.index)) continue;
      next = entry;
      from = list;
    }
    if (!next) return;
    positions[from] = (positions[from] ?? 0) + 1;
    yield next;
  }
}

function contradiction(port: Port, other: Port): Contradiction {
  if (port.address === other.address && port.host === other.host) return 'duplicate';
  return port.host === 0 || other.host === 0 ? 'overlapping' : 'dangerously ambiguous';
}

const groupKey = ({ own, protocol }: Port): string => `${own}/${protocol}`;
const addressKey = (host: number, address: string): string => `${host}/${address}`;

function push<K>(lists: Map<K, Entry[]>, key: K, entry: Entry): void {
  const list = lists.get(key);
  if (list) list.push(entry);
  else lists.set(key, [entry]);
}
