const works = new Set<() => void>();

/** Runs work when this process exits before the result is disposed, such as at the second Ctrl-C. It must not wait. */
export function atExit(work: () => void): Disposable {
  if (works.size === 0) process.on('exit', runAll);
  works.add(work);
  return {
    [Symbol.dispose]: () => {
      works.delete(work);
      if (works.size === 0) process.off('exit', runAll);
    },
  };
}

function runAll(): void {
  for (const work of works) work();
}
