export { conformanceSuite } from './conformance.ts';
export type { ConformanceSuite } from './conformance.ts';
export type {
  ConformanceCase,
  ConformanceEnvironment,
  ConformanceOutcome,
  Member,
  MemberOptions,
  ProviderDefinition,
  ProviderSetup,
} from './contract.ts';
