/** The release of Kubernetes whose API this server implements. */
export const RELEASE = 'v1.35.4';

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
  goVersion: '',
  compiler: 'gc',
  platform: `${process.platform}/${process.arch}`,
};
