/** Opens a page in the default browser. Does not wait for the browser to end. */
export async function openBrowser(url: string): Promise<void> {
  // Loaded here, because it takes long, and few starts need it.
  const { default: open } = await import('open');
  const browser = await open(url);
  // Such as a browser that ends with an error later.
  browser.on('error', () => undefined);
}
