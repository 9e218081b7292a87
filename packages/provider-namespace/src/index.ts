export { ALL_NAMESPACES, NamespaceProvider, type NamespaceProviderOptions } from './namespace-provider.ts';
