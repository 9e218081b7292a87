import { expect, it } from '@jest/globals';
import { platformOf } from './version.ts';

it('K-17: /version names the platform as Go does', () => {
  expect(platformOf('linux', 'x64')).toBe('linux/amd64');
  expect(platformOf('darwin', 'arm64')).toBe('darwin/arm64');
  expect(platformOf('win32', 'ia32')).toBe('windows/386');
});
