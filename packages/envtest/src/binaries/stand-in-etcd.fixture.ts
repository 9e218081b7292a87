import { appendFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/* An etcd for the stand-in of kube-apiserver: it returns the data directory, and discards its history on request. */

const { values } = parseArgs({
  strict: false,
  options: { 'data-dir': { type: 'string' }, 'listen-client-urls': { type: 'string' } },
});
const directory = String(values['data-dir']);
const journal = join(directory, 'journal.ndjson');
mkdirSync(directory, { recursive: true });
createServer((request, response) => {
  if (request.url === '/v3/kv/compaction') appendFileSync(journal, `${JSON.stringify({ op: 'compact' })}\n`);
  response.end(JSON.stringify({ journal, header: { revision: '1' } }));
}).listen(Number(new URL(String(values['listen-client-urls'])).port), '127.0.0.1');
