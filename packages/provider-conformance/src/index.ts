export { conformanceSuite } from './conformance.ts';
export type { ConformanceSuite } from './conformance.ts';
export type {
  Capability,
  ConformanceCase,
  ConformanceEnvironment,
  Member,
  MemberOptions,
  ProviderDefinition,
  ProviderSetup,
} from './contract.ts';
export type {
  ControlPlane,
  CredentialOwner,
  LocalWebhooks,
  Credentials,
  ObjectManifest,
  SeedObject,
  ThrottleOptions,
} from '@mcr/envtest';
