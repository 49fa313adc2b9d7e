export * from './provider-kinds';
