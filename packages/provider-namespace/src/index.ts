export {
  ALL_NAMESPACES,
  createNamespaceProvider,
  type NamespaceProvider,
  type NamespaceProviderOptions,
} from './namespace-provider.ts';
