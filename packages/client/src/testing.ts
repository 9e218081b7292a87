export * from './clock/virtual-clock.ts';
