import type { ClusterRow } from '../protocol.ts';
import { byId, element, setText } from './dom.ts';
import type { Filter } from './filter.ts';
import { isolationNames, phaseNames, phaseShape, toneOf } from './phases.ts';
import { count, visible } from './text.ts';

/** The controls that choose which clusters are shown. */
export class FilterBar {
  readonly #onChange: (filter: Filter) => void;
  readonly #name = byId('filter-name') as HTMLInputElement;
  readonly #labels = byId('filter-labels') as HTMLInputElement;
  readonly #owner = byId('filter-owner') as HTMLSelectElement;
  readonly #chips = new Map<string, { readonly button: HTMLElement; readonly number: HTMLElement }>();
  #filter: Filter = { name: '', labels: '', owner: '', phases: new Set() };

  constructor(onChange: (filter: Filter) => void) {
    this.#onChange = onChange;
    this.#name.addEventListener('input', () => this.#change({ name: this.#name.value }));
    this.#labels.addEventListener('input', () => this.#change({ labels: this.#labels.value }));
    this.#owner.addEventListener('change', () => this.#change({ owner: this.#owner.value }));
    for (const phase of [...phaseNames, ...isolationNames]) {
      const number = element('span', { class: 'badge' });
      const attributes = { type: 'button', class: `chip ${toneOf(phase)}`, 'aria-pressed': 'false' };
      const button = element('button', attributes, phaseShape(phase), phase, number);
      button.addEventListener('click', () => {
        const phases = new Set(this.#filter.phases);
        if (!phases.delete(phase)) phases.add(phase);
        this.#change({ phases });
      });
      this.#chips.set(phase, { button, number });
      byId('phases').append(button);
    }
  }

  /** Shows a filter. */
  set(filter: Filter): void {
    this.#filter = filter;
    for (const [input, value] of [
      [this.#name, filter.name],
      [this.#labels, filter.labels],
    ] as const) {
      if (input.value !== value) input.value = value;
    }
    for (const [phase, { button }] of this.#chips)
      button.setAttribute('aria-pressed', String(filter.phases.has(phase)));
    this.#owner.value = filter.owner;
  }

  /** Offers the phases and the owners of clusters. */
  offer(rows: readonly ClusterRow[]): void {
    const counts = new Map<string, number>();
    const owners = new Set<string>();
    for (const { phase, isolation, owner } of rows) {
      for (const state of [phase, isolation]) if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1);
      if (owner !== undefined) owners.add(owner);
    }
    for (const [phase, { button, number }] of this.#chips) {
      setText(number, count(counts.get(phase) ?? 0));
      button.hidden = !counts.has(phase) && !this.#filter.phases.has(phase);
    }
    if (this.#filter.owner !== '') owners.add(this.#filter.owner);
    byId('filter-owner-field').hidden = owners.size === 0;
    const values = ['', ...[...owners].sort()];
    if (values.join('\n') === [...this.#owner.options].map(({ value }) => value).join('\n')) return;
    this.#owner.replaceChildren(
      ...values.map((value) => element('option', { value }, value === '' ? 'All' : visible(value))),
    );
    this.#owner.value = this.#filter.owner;
  }

  #change(change: Partial<Filter>): void {
    this.#filter = { ...this.#filter, ...change };
    this.#onChange(this.#filter);
  }
}
