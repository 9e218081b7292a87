import { stripVTControlCharacters } from 'node:util';

/** Maximum number of lines of an error. The whole error is in the output of the tests. */
const LINES = 8;

/**
 * Describes each failure in Jest's results: the test, and the first lines of its error. A file that could not be loaded
 * is one failure.
 */
export function failuresIn({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [text(name, message)];
    return failed.map(({ fullName, failureMessages }) => text(fullName, failureMessages[0]));
  });
}

function text(title, message = 'no error message') {
  const lines = stripVTControlCharacters(message).split('\n');
  const stack = lines.findIndex((line) => /^ +at /u.test(line));
  const error = lines.slice(0, stack === -1 ? undefined : stack).map((line) => line.trim());
  const first = error.filter((line) => line !== '' && !line.startsWith('●')).slice(0, LINES);
  return [`  ${title}`, ...first.map((line) => `    ${line}`)].join('\n');
}
