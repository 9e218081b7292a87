import { type Content, element } from './dom.ts';
import { duration } from './text.ts';

/** Returns a table. Every column after the first one that has only numbers is aligned to the right. */
export function dataTable(label: string, heads: readonly string[], rows: readonly (readonly Content[])[]): HTMLElement {
  const isNumber = heads.map((_, column) =>
    rows.every(
      ({ [column]: cell }) => typeof cell === 'string' && /^[\d.,/ \u2013]*(?:[µm]?s|\/s|[KMG]?i?B)?$/u.test(cell),
    ),
  );
  const kind = (column: number) => (isNumber[column] ? 'number' : undefined);
  return element(
    'div',
    { class: 'table-scroll', role: 'region', 'aria-label': label, tabindex: '0' },
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element('tr', {}, ...heads.map((head, at) => element('th', { scope: 'col', class: kind(at) }, head))),
      ),
      element(
        'tbody',
        {},
        ...rows.map((cells) => element('tr', {}, ...cells.map((cell, at) => element('td', { class: kind(at) }, cell)))),
      ),
    ),
  );
}

/** Returns a duration up to now, which {@link refreshTimes} brings up to date. @param at time of the server. */
export function timeAgo(at: number): HTMLElement {
  return element('time', { datetime: new Date(at).toISOString(), 'data-at': String(at) }, duration(0));
}

/** Brings all durations on the page up to date. @param now time of the server. */
export function refreshTimes(now: number): void {
  for (const time of document.querySelectorAll<HTMLElement>('time[data-at]')) {
    const text = duration(now - Number(time.dataset['at']));
    if (time.textContent !== text) time.textContent = text;
  }
}

export function faultReference(): HTMLElement {
  const href = 'https://github.com/mcr-dev/mcr/blob/main/docs/faults.md';
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, 'What to do');
}
