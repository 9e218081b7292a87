import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { follow } from './tutorial/follow.mjs';

describe('the test of a tutorial', () => {
  let scratch;
  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'mcr-tutorial-'));
  });
  afterEach(() => {
    rmSync(scratch, { recursive: true });
  });
  const followed = (text) => follow(text.replaceAll('~~~', '```'), { scratch, folder: scratch, env: process.env });

  it('WB-13: runs commands, writes and changes files, and compares output in two terminals', async () => {
    await followed(`
Make a folder:

~~~sh
mkdir project
cd project
export WORD=here
~~~

Write \`a/greet.sh\`:

~~~bash
echo "token=$$"
trap 'echo bye; exit' INT
while :; do sleep 0.05; done
~~~

Start it in the terminal **server**:

~~~sh
bash a/greet.sh
~~~

The terminal **server** shows:

~~~text
token=…
~~~

Copy this line:

~~~sh
token=…
~~~

In \`a/greet.sh\`:

~~~diff
-echo "token=$$"
+echo "changed"
 trap 'echo bye; exit' INT
~~~

Then:

~~~sh
head -1 a/greet.sh
echo "$WORD    in $(basename $PWD)"
~~~

~~~text
echo "changed"
here in project
~~~

Press Ctrl-C in the terminal **server**. It shows in the terminal **server**:

~~~text
bye
~~~
`);
    expect(readFileSync(join(scratch, 'project', 'a', 'greet.sh'), 'utf8')).toMatch(/^echo "changed"\n/u);
  });

  it.each([
    ['another output', 'Run:\n\n~~~sh\necho one\n~~~\n\n~~~text\ntwo\n~~~\n', 'line 7: no line "two"'],
    ['an earlier output', 'a\n\n~~~sh\necho one\n~~~\n\n~~~sh\ntrue\n~~~\n\n~~~text\none\n~~~\n', 'no line "one"'],
    ['the wrong order', 'a\n\n~~~sh\necho one; echo two\n~~~\n\n~~~text\ntwo\none\n~~~\n', 'no line "one"'],
    ['a command that fails', 'Run:\n\n~~~sh\nfalse\ntrue\n~~~\n', 'line 3: false\ntrue\nexit code 1'],
    ['a change of other code', 'In `a`:\n\n~~~text\n~~~\n\nIn `a`:\n\n~~~diff\n-b\n~~~\n', 'line 8: '],
    ['a line that no terminal shows', 'Run:\n\n~~~sh\nexport A=…\n~~~\n', 'no terminal shows export A=…'],
    ['an address without a server', 'Open <http://127.0.0.1:1/>.\n', 'line 1: fetch failed'],
    ['a block without a file', 'Write:\n\n~~~ts\n~~~\n', 'line 3: expected a block sh or text'],
  ])('WB-13: fails for %s', async (_, text, message) => {
    await expect(followed(text)).rejects.toThrow(message);
  });
});
