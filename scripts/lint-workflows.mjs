// Checks the workflows of CI with actionlint. It needs Go, and is skipped without it.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { root } from './published-packages.mjs';

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';

if (spawnSync('go', ['version']).status === 0) {
  const { status, error } = spawnSync('go', ['run', ACTIONLINT, '-color=false'], { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
} else {
  console.log('skipped: actionlint needs Go');
}
