// A program that never closes its client. Its steps are arguments. The process prints each finished step, and ends when
// nothing is in flight.
import process from 'node:process';
import { createClient } from '../client/create-client.ts';
import { ConfigMap } from '../kinds/builtin.ts';

const [server = '', caData = '', ...steps] = process.argv.slice(2);
const { signal } = new AbortController();
const client = createClient({ server, tls: { caData } });

for (const step of steps) {
  if (step === 'list') await client.list(ConfigMap);
  else if (step === 'concurrent') await Promise.all(Array.from({ length: 5 }, () => client.list(ConfigMap)));
  else if (step === 'close') await client.close();
  else if (step === 'watch') {
    // The watch is the only thing that keeps the process alive until its event arrives.
    for await (const event of client.watch(ConfigMap, { resourceVersion: '1', signal })) {
      console.log(event.type);
      break;
    }
  }
  console.log(step);
}
