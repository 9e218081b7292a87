export { createInventoryProvider, type InventoryProvider } from './inventory-provider.ts';
export type { InventoryAccess, InventoryProviderOptions } from './options.ts';
export type { AccessExecConfig, AccessProviderConfig } from './access-providers.ts';
export * from './cluster-profile.ts';
