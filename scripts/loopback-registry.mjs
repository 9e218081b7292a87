// An npm registry in memory, on the loopback interface: packages are published to it and installed from it.
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * @returns {Promise<{url: string, published: string[], close(): void}>} `published` lists `name@version` in the order
 *   of publication.
 */
export async function startLoopbackRegistry() {
  const packages = new Map();
  const tarballs = new Map();
  const published = [];

  const publish = ({ name, versions, 'dist-tags': tags, _attachments: attachments }) => {
    const known = packages.get(name) ?? { name, versions: {}, 'dist-tags': {} };
    const repeated = Object.keys(versions).find((version) => version in known.versions);
    if (repeated !== undefined) return { status: 403, body: { error: `${name}@${repeated} is published already` } };
    for (const [file, { data }] of Object.entries(attachments)) tarballs.set(file, Buffer.from(data, 'base64'));
    packages.set(name, {
      ...known,
      versions: { ...known.versions, ...versions },
      'dist-tags': { ...known['dist-tags'], ...tags },
    });
    published.push(...Object.keys(versions).map((version) => `${name}@${version}`));
    return { status: 201, body: { ok: true } };
  };

  const server = createServer((request, response) => {
    void (async () => {
      const path = decodeURIComponent(new URL(request.url ?? '/', 'http://registry').pathname).slice(1);
      const [name, file] = path.split('/-/');
      if (request.method === 'PUT') return send(response, publish(await json(request)));
      const tarball = file !== undefined && tarballs.get(file);
      if (tarball) return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(tarball);
      const body = packages.get(name);
      return send(response, body ? { status: 200, body } : { status: 404, body: { error: 'not found' } });
    })().catch((error) => send(response, { status: 500, body: { error: error.message } }));
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    published,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function send(response, { status, body }) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
