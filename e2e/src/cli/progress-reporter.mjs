import { writeFileSync } from 'node:fs';
import process from 'node:process';

// Scenarios end with the runner, however that ends: `clean` deletes what a crashed run left, which must not grow any more.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();

/**
 * A Jest reporter: one line for every test as soon as it ends, the failures of a file when that ends, and the results in
 * the file `$MCR_E2E_RESULTS`, in the format of Jest's `--json`.
 */
export default class ProgressReporter {
  #files = 0;
  #done = 0;

  onRunStart({ numTotalTestSuites }) {
    this.#files = numTotalTestSuites;
  }

  onTestFileStart({ path }) {
    const name = path.replace(/^.*\/src\/(scenarios\/)?/u, '').replace(/\.e2e\.ts$/u, '');
    say(`[${++this.#done}/${this.#files}] ${name}`);
  }

  onTestCaseResult(_test, { status, title, duration }) {
    const seconds = `${((duration ?? 0) / 1000).toFixed(1)} s`;
    say(status === 'pending' ? `  skipped  ${title}` : `  ${status}  ${title} (${seconds})`);
  }

  onTestFileResult(_test, { failureMessage, console: printed }) {
    for (const { message } of printed ?? []) say(message);
    if (failureMessage) say(failureMessage);
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests } = results;
    const testResults = results.testResults.map((file) => ({
      name: file.testFilePath,
      status: file.testExecError || file.numFailingTests > 0 ? 'failed' : 'passed',
      startTime: file.perfStats.start,
      endTime: file.perfStats.end,
      message: file.failureMessage ?? '',
      assertionResults: file.testResults.map(({ title, fullName, status, duration, failureMessages }) => ({
        title,
        fullName,
        status,
        duration,
        failureMessages,
      })),
    }));
    const totals = { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests };
    writeFileSync(process.env.MCR_E2E_RESULTS, JSON.stringify({ ...totals, testResults }));
  }

  getLastError() {
    return undefined;
  }
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
