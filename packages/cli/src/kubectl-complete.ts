#!/usr/bin/env node
import { COMPLETE } from './completion/shell-script.ts';

/* Entry point of the program `kubectl_complete-mcr`, which kubectl runs to complete `kubectl mcr`. */

process.argv.splice(2, 0, COMPLETE);
await import('./mcr.ts');
