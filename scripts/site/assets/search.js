// The search of the site: an index that is loaded when the search is used for the first time.
import MiniSearch from 'minisearch';
import { searchOptions } from './search-options.js';

const MOST_RESULTS = 20;

/** Starts the search in its element. `base` is the path of the root of the version. */
export function startSearch(element, base) {
  const query = element.querySelector('input');
  const results = element.querySelector('#site-results');
  const status = results.querySelector('[role=status]');
  const list = results.querySelector('ol');
  element.hidden = false;

  let loading;
  const load = () => (loading ??= loadIndex(`${base}assets/search.json`));
  query.addEventListener('focus', () => load().catch(() => (loading = undefined)));
  query.addEventListener('input', () => void show());
  element.addEventListener('keydown', (event) => move(event));
  element.addEventListener('focusout', ({ relatedTarget }) => {
    if (!element.contains(relatedTarget)) results.hidden = true;
  });
  query.addEventListener('focus', () => (results.hidden = query.value.trim() === ''));
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input, select, textarea')) return;
    event.preventDefault();
    query.focus();
  });

  async function show() {
    const text = query.value.trim();
    results.hidden = text === '';
    if (text === '') return;
    try {
      const found = (await load()).search(text);
      // A later keystroke has a search of its own.
      if (query.value.trim() !== text) return;
      status.textContent = found.length === 0 ? `No results for ${text}` : `${found.length} results`;
      list.replaceChildren(...found.slice(0, MOST_RESULTS).map(itemOf));
    } catch {
      loading = undefined;
      status.textContent = 'The search index could not be loaded: check the connection, and search again';
      list.replaceChildren();
    }
  }

  function itemOf({ id, title, heading, excerpt }) {
    const link = document.createElement('a');
    link.href = base + id;
    const name = document.createElement('strong');
    name.textContent = heading === '' ? title : `${title} › ${heading}`;
    const text = document.createElement('span');
    text.textContent = excerpt;
    link.append(name, text);
    const item = document.createElement('li');
    item.append(link);
    return item;
  }

  function move(event) {
    if (event.key === 'Escape') {
      query.focus();
      results.hidden = true;
      event.stopPropagation();
      return;
    }
    if (event.key === 'Enter' && event.target === query) return list.querySelector('a')?.click();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const stops = [query, ...list.querySelectorAll('a')];
    stops[stops.indexOf(event.target) + step]?.focus();
  }
}

async function loadIndex(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return MiniSearch.loadJSON(await response.text(), searchOptions);
}
