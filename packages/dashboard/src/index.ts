export * from './add-dashboard.ts';
