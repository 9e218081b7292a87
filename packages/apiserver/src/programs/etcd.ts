import { checkNodeRelease } from '../node-release.ts';

/* Entry point of the program `etcd`. */

checkNodeRelease('etcd');
await import('./run-etcd.ts');
