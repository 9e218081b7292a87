import { Journal } from './journal.ts';

/* Runs as a separate process whose files are limited: appends until a write fails. argv: the path of the journal. */

const journal = new Journal(process.argv[2] ?? '');
try {
  for (;;) journal.append({ op: 'revoke', token: 'x'.repeat(100) });
} catch (error) {
  process.stdout.write((error as NodeJS.ErrnoException).code ?? '');
}
