// Type-checks every TypeScript program in the documentation: each ```ts block is a module. Refuses syntax that Node.js 22
// does not parse. A block that begins with a path, such as `// examples/file/src/main.ts`, is an excerpt of that file, which
// has to contain it. Finds broken links and anchors, and samples of YAML and JSON that do not parse. Compares the catalogue of behaviours with the tests.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { checkBehaviours } from './behaviours.mjs';
import { documentProblems } from './document-problems.mjs';

const root = join(import.meta.dirname, '..');
// Inside a package that depends on all others, so that imports resolve.
const scratch = join(root, 'e2e', '.mcr', 'docs');

// Packages link to one another in node_modules, so a walk that follows these links would hardly end.
const documents = globSync(['*.md', '{docs,packages,examples,bench,e2e}/**/*.md'], {
  cwd: root,
  exclude: (path) => /(?:^|\/)(?:node_modules|api)$|\.api\.md$/u.test(path),
});

if (!checkBehaviours()) process.exitCode = 1;

rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
try {
  let programs = 0;
  for (const document of documents) {
    const text = readFileSync(join(root, document), 'utf8');
    for (const problem of documentProblems(join(root, document), text)) {
      console.error(`${document}: ${problem}`);
      process.exitCode = 1;
    }
    for (const [index, [, program]] of [...text.matchAll(/```ts\n(.*?)```/gsu)].entries()) {
      programs += 1;
      const [pathLine, path] = /^\/\/ ([\w/.-]+\.ts)\n/u.exec(program) ?? [];
      if (path !== undefined) {
        const file = join(root, path);
        if (existsSync(file) && readFileSync(file, 'utf8').includes(program.slice(pathLine.length).trim())) continue;
        console.error(`${document}: program ${index + 1}: ${path} does not contain it: copy the excerpt again`);
        process.exitCode = 1;
        continue;
      }
      // Node.js 22, which the packages support, rejects this syntax.
      if (/^\s*(?:await )?using \w+ =/mu.test(program)) {
        console.error(`${document}: program ${index + 1}: "using" needs Node.js 24: use try and finally`);
        process.exitCode = 1;
      }
      writeFileSync(join(scratch, `${document.replaceAll('/', '-')}-${index + 1}.ts`), program);
    }
  }
  const config = {
    extends: '../../../tsconfig.base.json',
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
    include: ['*.ts'],
  };
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const { status } = spawnSync(tsc, ['--project', scratch], { cwd: root, stdio: 'inherit' });
  console.log(`${programs} programs in ${documents.length} documents: ${status === 0 ? 'ok' : 'see above'}`);
  process.exitCode ||= status ?? 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
