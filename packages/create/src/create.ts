#!/usr/bin/env node
import { runCreate } from './create-program.ts';

/* The program of `npm create @mcr`. */

process.exitCode = await runCreate(process.argv.slice(2), {
  print: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(text),
  env: process.env,
  isInteractive: process.stdin.isTTY && process.stdout.isTTY,
});
