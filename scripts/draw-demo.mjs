// Runs the demo and writes the last screen of it to docs/images/demo.svg: node scripts/draw-demo.mjs.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './published-packages.mjs';
import { node } from './steps.mjs';

const COLUMNS = 112;
/** Makes the demo draw its table into a pipe. */
const TERMINAL = `data:text/javascript,Object.assign(process.stdout, { isTTY: true, columns: ${COLUMNS} })`;

const CHARACTER = 7.83;
const LINE = 18;
const MARGIN = 16;
const COLOURS = { 31: '#f85149', 32: '#3fb950', 33: '#d29922', 36: '#39c5cf', 90: '#8b949e' };

const output = await run([
  '--disable-warning=ExperimentalWarning',
  '--conditions=@mcr/source',
  '--import',
  TERMINAL,
  join(root, 'examples/kubeconfig/src/main.ts'),
]);
const file = join(root, 'docs/images/demo.svg');
mkdirSync(join(root, 'docs/images'), { recursive: true });
writeFileSync(file, svgOf(['$ npm run demo', ...lastScreen(output)]));
console.log(`wrote ${file}`);

/** Resolves with the standard output of a Node.js program. @throws if it fails. */
async function run(args) {
  const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.setEncoding('utf8');
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  if (code !== 0) throw new Error(`the demo exited with code ${code}: run npm run demo to see why`);
  return text;
}

/** Returns the lines that a terminal shows at the end. The demo only moves up by whole lines and clears below. */
function lastScreen(text) {
  const screen = [];
  // eslint-disable-next-line no-control-regex -- escape sequences begin with a control character
  for (const part of text.replaceAll(/\x1b\[\?25[hl]/gu, '').split(/(?=\x1b\[\d+A\x1b\[J)/u)) {
    // eslint-disable-next-line no-control-regex -- as above
    const up = /^\x1b\[(\d+)A\x1b\[J/u.exec(part);
    if (up) screen.splice(screen.length - Number(up[1]));
    const lines = part.slice(up?.[0].length ?? 0).split('\n');
    screen.push(...lines.slice(0, -1));
  }
  while (screen.at(-1) === '') screen.pop();
  return screen;
}

function svgOf(lines) {
  const width = Math.ceil(COLUMNS * CHARACTER + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  const rows = lines.map((line, index) => {
    const y = MARGIN + LINE * index + 13;
    return `<text x="${MARGIN}" y="${y}">${spans(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>Output of npm run demo</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#e6edf3" xml:space="preserve">',
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Turns the colours of a line into `tspan` elements. */
function spans(line) {
  // eslint-disable-next-line no-control-regex -- escape sequences begin with a control character
  const parts = line.split(/\x1b\[(\d+)m/u);
  let style = '';
  return parts
    .map((part, index) => {
      if (index % 2 === 1) {
        style = part === '1' ? 'font-weight="bold"' : part in COLOURS ? `fill="${COLOURS[part]}"` : '';
        return '';
      }
      const text = part.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      return text && style ? `<tspan ${style}>${text}</tspan>` : text;
    })
    .join('');
}
