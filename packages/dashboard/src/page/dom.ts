const SVG = 'http://www.w3.org/2000/svg';

/** Content of an element. Texts are never markup. */
export type Content = Node | string | undefined | readonly Content[];

/** Creates an element with attributes and content. An attribute `undefined` is left out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  setAttributes(created, attributes);
  created.append(...nodesOf(content));
  return created;
}

/** Creates an element of SVG. */
export function drawing<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | undefined>>,
  ...content: readonly Content[]
): SVGElementTagNameMap[Tag] {
  const created = document.createElementNS(SVG, tag);
  setAttributes(created, attributes);
  created.append(...nodesOf(content));
  return created;
}

/** Returns an element of the page. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

/** Replaces the content of an element. */
export function fill(target: Element, ...content: readonly Content[]): void {
  target.replaceChildren(...nodesOf(content));
}

/**
 * Like {@link fill}, but keeps the elements that are still there, with their focus, selection and scroll position. Elements
 * with listeners must not be among them.
 */
export function patch(target: Element, ...content: readonly Content[]): void {
  const fresh = document.createElement('template').content;
  fresh.append(...nodesOf(content));
  patchChildren(target, fresh);
}

function patchChildren(target: Node, fresh: Node): void {
  const wanted = [...fresh.childNodes];
  for (const [index, node] of wanted.entries()) {
    const known = target.childNodes[index];
    if (!known) target.appendChild(node);
    else if (known instanceof Element && node instanceof Element && known.tagName === node.tagName) {
      patchAttributes(known, node);
      patchChildren(known, node);
    } else if (known.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) {
      if (known.nodeValue !== node.nodeValue) known.nodeValue = node.nodeValue;
    } else target.replaceChild(node, known);
  }
  while (target.childNodes.length > wanted.length) target.lastChild?.remove();
}

function patchAttributes(target: Element, fresh: Element): void {
  for (const name of target.getAttributeNames()) if (!fresh.hasAttribute(name)) target.removeAttribute(name);
  for (const { name, value } of fresh.attributes) {
    if (target.getAttribute(name) !== value) target.setAttribute(name, value);
  }
}

/** Sets the text of an element, if it is another one. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

function setAttributes(target: Element, attributes: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) target.setAttribute(name, value);
}

function nodesOf(content: readonly Content[]): (Node | string)[] {
  return content.flatMap((item) => {
    if (item === undefined) return [];
    return Array.isArray(item) ? nodesOf(item as readonly Content[]) : [item as Node | string];
  });
}
