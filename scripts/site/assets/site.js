// Menu, theme, versions, copy buttons and search of a page.
import { startSearch } from './search.js';

const page = document.documentElement;
const { base, version, url } = page.dataset;

startMenu(document.querySelector('#site-menu'), document.querySelector('#site-sidebar'));
startTheme(document.querySelector('#site-theme'));
void startVersions(document.querySelector('#site-versions'));
for (const block of document.querySelectorAll('pre')) addCopyButton(block);
startSearch(document.querySelector('search'), base);

function startMenu(button, sidebar) {
  const show = (isShown) => {
    button.setAttribute('aria-expanded', String(isShown));
    sidebar.classList.toggle('shown', isShown);
  };
  button.addEventListener('click', () => show(button.getAttribute('aria-expanded') === 'false'));
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || button.getAttribute('aria-expanded') === 'false') return;
    show(false);
    button.focus();
  });
  sidebar.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}

function startTheme(select) {
  select.value = page.dataset.theme ?? '';
  select.addEventListener('change', () => {
    localStorage.setItem('theme', select.value);
    if (select.value === '') delete page.dataset.theme;
    else page.dataset.theme = select.value;
  });
}

/** Fills the menu of versions. A page that another version lacks leads to the first page of that version. */
async function startVersions(select) {
  const response = await fetch(`${base}../versions.json`);
  if (!response.ok) return;
  const versions = await response.json();
  select.replaceChildren(...versions.map((each) => new Option(each, each, each === version, each === version)));
  select.addEventListener('change', async () => {
    const root = `${base}../${select.value}/`;
    const { ok } = await fetch(root + url, { method: 'HEAD' });
    location.assign(root + (ok ? url : 'index.html'));
  });
}

function addCopyButton(block) {
  const frame = document.createElement('div');
  frame.className = 'code';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 2_000);
  });
  block.replaceWith(frame);
  frame.append(block, button);
}
