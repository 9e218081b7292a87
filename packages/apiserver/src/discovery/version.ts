/** The release of Kubernetes whose API this server implements. */
export const RELEASE = 'v1.35.4';

/** Names of operating systems and processors that differ between Node.js and Go. */
const GO_NAMES: Readonly<Record<string, string>> = {
  win32: 'windows',
  x64: 'amd64',
  ia32: '386',
  ppc64: 'ppc64le',
};

/** The document at `/version`. */
export const VERSION = {
  major: '1',
  minor: '35',
  emulationMajor: '1',
  emulationMinor: '35',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '34',
  gitVersion: `${RELEASE}+mcr-envtest`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  /** Empty, because the server is not a Go program. */
  goVersion: '',
  compiler: 'gc',
  platform: platformOf(process.platform, process.arch),
};

/** Returns a platform as Go names it, for example `linux/amd64`. */
export function platformOf(platform: string, arch: string): string {
  return [platform, arch].map((name) => GO_NAMES[name] ?? name).join('/');
}
