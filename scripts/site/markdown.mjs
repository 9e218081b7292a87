// Turns Markdown as GitHub shows it into HTML: headings with anchors, highlighted code, tables that scroll by themselves.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import markdownIt from 'markdown-it';
import { anchorOf } from '../document-problems.mjs';

/** Languages of code blocks. A block without one is plain text. */
const LANGUAGES = { bash, json, python, typescript, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
hljs.registerAliases('js', { languageName: 'typescript' });

/**
 * @typedef {object} Heading
 * @property {number} level 1 to 6
 * @property {string} id Anchor, as GitHub makes it.
 * @property {string} text
 */

/**
 * @typedef {object} Section
 * @property {string} id Anchor of the heading; empty before the first heading of level 2.
 * @property {string} heading
 * @property {string} text Text of the section without its code blocks.
 */

/**
 * Renders a page.
 *
 * @param {string} text Markdown.
 * @param {(href: string) => string} resolve Returns the address of a link or an image.
 * @returns {{ html: string, headings: Heading[], sections: Section[] }}
 */
export function render(text, resolve) {
  const tokens = markdown.parse(text, {});
  const headings = [];
  const sections = [{ id: '', heading: '', text: '' }];
  const anchors = new Set();
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const inline = tokens[index + 1];
      const heading = { level: Number(token.tag.slice(1)), text: textOf(inline) };
      heading.id = anchorOf(heading.text, anchors);
      token.attrSet('id', heading.id);
      headings.push(heading);
      if (heading.level > 1) sections.push({ id: heading.id, heading: heading.text, text: '' });
    } else if (token.type === 'inline') {
      if (tokens[index - 1].type !== 'heading_open') sections.at(-1).text += `${textOf(token)} `;
      for (const child of token.children) {
        for (const name of ['href', 'src']) {
          const target = child.attrGet(name);
          if (target !== null) child.attrSet(name, resolve(target));
        }
      }
    }
  }
  return { html: markdown.renderer.render(tokens, markdown.options, {}), headings, sections };
}

const markdown = markdownIt({ html: true, linkify: false, highlight });
const { rules } = markdown.renderer;

rules.heading_close = (tokens, index) => {
  const { tag } = tokens[index];
  if (tag === 'h1') return '</h1>\n';
  const id = tokens[index - 2].attrGet('id');
  const text = markdown.utils.escapeHtml(textOf(tokens[index - 1]));
  return ` <a class="anchor" href="#${id}" aria-label="Link to ${text}">#</a></${tag}>\n`;
};
// A wide table or a long line scrolls by itself, also with the keyboard.
rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
rules.table_close = () => '</table></div>\n';
// A column without a name has no header cell.
rules.th_open = (tokens, index) => (tokens[index + 1].content === '' ? '<td>' : '<th>');
rules.th_close = (tokens, index) => (tokens[index - 1].content === '' ? '</td>\n' : '</th>\n');
const { fence } = rules;
rules.fence = (...args) => fence(...args).replace('<pre>', '<pre tabindex="0">');
rules.code_block = rules.fence;

/** Classes instead of style attributes, which the Content-Security-Policy of the site forbids. */
function highlight(code, language) {
  return hljs.getLanguage(language) ? hljs.highlight(code, { language, ignoreIllegals: true }).value : '';
}

/** Returns the text of a paragraph or a heading without its marks. */
function textOf({ children }) {
  return children
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : type === 'html_inline' ? '' : content))
    .join('');
}
