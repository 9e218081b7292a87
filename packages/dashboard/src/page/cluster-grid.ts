import type { ClusterRow } from '../protocol.ts';
import { byId, type Content, element, fill, setText } from './dom.ts';
import { phaseMark } from './phases.ts';
import type { Column, Sorting } from './rows.ts';
import { clusterName, count, duration, labelTexts, visible } from './text.ts';

export interface ClusterGridOptions {
  readonly onSort: (column: Column) => void;
  /** Called with the name of the cluster that was chosen. */
  readonly onOpen: (name: string) => void;
  /** Returns the time of the server. */
  readonly now: () => number;
}

/** Rows above and below the visible ones that exist, so that scrolling shows no gaps. */
const MARGIN = 6;

interface ColumnDefinition {
  readonly id: Column | 'labels';
  readonly title: string;
  readonly isNumber?: true;
  readonly content: (row: ClusterRow, now: number) => Content;
}

const COLUMNS: readonly ColumnDefinition[] = [
  { id: 'name', title: 'Name', content: ({ name }) => clusterName(name) },
  {
    id: 'phase',
    title: 'Phase',
    content: ({ phase, isolation }) => [phaseMark(phase), isolation === undefined ? undefined : phaseMark(isolation)],
  },
  { id: 'since', title: 'For', isNumber: true, content: ({ since }, now) => duration(now - since) },
  { id: 'owner', title: 'Owner', content: ({ owner = '' }) => visible(owner) },
  { id: 'objects', title: 'Objects', isNumber: true, content: ({ objects }) => count(objects) },
  { id: 'reconciles', title: 'Reconciles', isNumber: true, content: ({ reconciles }) => count(reconciles) },
  { id: 'errors', title: 'Errors', isNumber: true, content: ({ errors }) => count(errors) },
  {
    id: 'lastError',
    title: 'Last error',
    isNumber: true,
    content: ({ lastErrorAt }, now) => (lastErrorAt === undefined ? '' : `${duration(now - lastErrorAt)} ago`),
  },
  { id: 'reason', title: 'Reason', content: ({ reason, stale }) => `${stale ? 'stale; ' : ''}${visible(reason)}` },
  {
    id: 'labels',
    title: 'Labels',
    content: ({ labels }) => labelTexts(labels).map((label) => element('span', { class: 'label' }, label)),
  },
];

/** An element that shows the row at an index. It is used again for another row when that index is scrolled away. */
interface Slot {
  readonly line: HTMLElement;
  readonly cells: readonly HTMLElement[];
  row?: ClusterRow;
}

/** The table of clusters. Only the rows in view exist as elements. The focus stays on the table; keys move the active row. */
export class ClusterGrid {
  readonly #options: ClusterGridOptions;
  readonly #grid: HTMLElement;
  readonly #body: HTMLElement;
  readonly #heads: ReadonlyMap<string, HTMLElement>;
  readonly #message: HTMLElement;
  /** Elements by the remainder of the index, so that scrolling by a row changes one element. */
  #slots: Slot[] = [];
  #rows: readonly ClusterRow[] = [];
  /** Name of the row that keys act on. */
  #active: string | undefined;
  #opened: string | undefined;

  constructor(options: ClusterGridOptions) {
    this.#options = options;
    this.#heads = new Map(COLUMNS.map((column) => [column.id, this.#head(column)]));
    this.#body = element('div', { role: 'rowgroup', class: 'rows' });
    const headRow = element('div', { role: 'row', class: 'row head', 'aria-rowindex': '1' }, ...this.#heads.values());
    this.#grid = element(
      'div',
      { id: 'grid', role: 'grid', class: 'grid', tabindex: '0', 'aria-label': 'Clusters', 'aria-readonly': 'true' },
      element('div', { role: 'rowgroup', class: 'heads' }, headRow),
      this.#body,
    );
    this.#message = element('div', { id: 'table-message', class: 'message', hidden: '' });
    fill(byId('table'), this.#grid, this.#message);
    this.#grid.addEventListener('scroll', () => this.#draw(), { passive: true });
    this.#grid.addEventListener('keydown', (event) => this.#onKey(event));
    this.#body.addEventListener('click', (event) => this.#onClick(event));
    new ResizeObserver(() => this.#draw()).observe(this.#grid);
  }

  /** Shows rows. */
  show(rows: readonly ClusterRow[], { column, descending }: Sorting): void {
    this.#rows = rows;
    this.#grid.setAttribute('aria-rowcount', String(rows.length + 1));
    for (const [id, head] of this.#heads) {
      if (id === 'labels') continue;
      head.setAttribute('aria-sort', id !== column ? 'none' : descending ? 'descending' : 'ascending');
    }
    this.#draw();
  }

  /** Shows a message instead of rows. @param content `undefined` shows the rows. */
  say(content: Content): void {
    fill(this.#message, content);
    this.#message.hidden = content === undefined;
  }

  /** Marks the row of the cluster that the panel shows. */
  mark(name: string | undefined): void {
    this.#opened = name;
    if (name !== undefined) this.#active = name;
    this.#draw();
  }

  focus(): void {
    this.#grid.focus();
  }

  /** Shows the column of owners, or hides it. */
  set hasOwners(has: boolean) {
    this.#grid.classList.toggle('owners', has);
  }

  /** Draws the rows in view again. */
  refresh(): void {
    this.#draw();
  }

  #head({ id, title, isNumber }: ColumnDefinition): HTMLElement {
    const head = element('div', { role: 'columnheader', class: `cell ${id}${isNumber ? ' number' : ''}` });
    if (id === 'labels') {
      fill(head, title);
      return head;
    }
    const button = element('button', { type: 'button', class: 'sort' }, title);
    button.addEventListener('click', () => this.#options.onSort(id));
    fill(head, button);
    return head;
  }

  get #rowHeight(): number {
    return Number.parseFloat(getComputedStyle(this.#grid).getPropertyValue('--row')) || 32;
  }

  #draw(): void {
    const height = this.#rowHeight;
    const { scrollTop, clientHeight } = this.#grid;
    this.#body.style.height = `${this.#rows.length * height}px`;
    const first = Math.max(0, Math.floor(scrollTop / height) - MARGIN);
    const end = Math.min(this.#rows.length, Math.ceil((scrollTop + clientHeight) / height) + MARGIN);
    this.#resize(end - first);
    const now = this.#options.now();
    const used = new Set<Slot>();
    let active: string | undefined;
    for (let index = first; index < end; index += 1) {
      const slot = this.#slots[index % this.#slots.length];
      const row = this.#rows[index];
      if (!slot || !row) continue;
      used.add(slot);
      slot.line.hidden = false;
      slot.line.style.transform = `translateY(${index * height}px)`;
      slot.line.setAttribute('aria-rowindex', String(index + 2));
      slot.line.setAttribute('aria-selected', String(row.name === this.#opened));
      slot.line.classList.toggle('active', row.name === this.#active);
      if (row.name === this.#active) active = slot.line.id;
      drawRow(slot, row, now);
    }
    for (const slot of this.#slots) if (!used.has(slot)) slot.line.hidden = true;
    if (active === undefined) this.#grid.removeAttribute('aria-activedescendant');
    else this.#grid.setAttribute('aria-activedescendant', active);
  }

  /** Makes sure that there are as many slots as rows in view. */
  #resize(size: number): void {
    if (size <= this.#slots.length) return;
    while (this.#slots.length < size) {
      const cells = COLUMNS.map(({ id, isNumber }) =>
        element('div', { role: 'gridcell', class: `cell ${id}${isNumber ? ' number' : ''}` }),
      );
      const line = element('div', { role: 'row', class: 'row', id: `row-${this.#slots.length}` }, ...cells);
      this.#slots.push({ line, cells });
      this.#body.append(line);
    }
    for (const slot of this.#slots) delete slot.row;
  }

  #onClick(event: MouseEvent): void {
    const line = (event.target as Element).closest('[role=row]');
    const row = this.#slots.find((slot) => slot.line === line)?.row;
    if (!row) return;
    this.#active = row.name;
    this.#options.onOpen(row.name);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.target !== this.#grid || event.ctrlKey || event.altKey || event.metaKey) return;
    const { key } = event;
    const current = this.#rows.findIndex(({ name }) => name === this.#active);
    const page = Math.max(1, Math.floor(this.#grid.clientHeight / this.#rowHeight) - 2);
    const last = this.#rows.length - 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: last,
    };
    if (Object.hasOwn(steps, key)) this.#activate(Math.min(last, Math.max(0, steps[key] ?? 0)));
    else if ((key === 'Enter' || key === ' ') && current >= 0) this.#options.onOpen(this.#active ?? '');
    else return;
    event.preventDefault();
  }

  #activate(index: number): void {
    this.#active = this.#rows[index]?.name;
    const height = this.#rowHeight;
    const room = this.#grid.clientHeight - this.#body.offsetTop;
    const top = index * height;
    if (top < this.#grid.scrollTop) this.#grid.scrollTop = top;
    else if (top + height > this.#grid.scrollTop + room) this.#grid.scrollTop = top + height - room;
    this.#draw();
  }
}

function drawRow(slot: Slot, row: ClusterRow, now: number): void {
  const isSame = slot.row === row;
  slot.row = row;
  for (const [index, { id, content }] of COLUMNS.entries()) {
    const cell = slot.cells[index];
    if (!cell) continue;
    if (id === 'since' || id === 'lastError') {
      setText(cell, content(row, now) as string);
      continue;
    }
    if (isSame) continue;
    const drawn = content(row, now);
    if (typeof drawn === 'string') {
      setText(cell, drawn);
      cell.title = drawn;
    } else {
      fill(cell, drawn);
    }
  }
}
