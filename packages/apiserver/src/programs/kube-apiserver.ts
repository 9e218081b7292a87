import { checkNodeRelease } from '../node-release.ts';

/* Entry point of the program `kube-apiserver`. */

checkNodeRelease('kube-apiserver');
await import('./run-kube-apiserver.ts');
