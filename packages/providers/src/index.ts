export * from './azure-options';
export * from './connection-options';
export * from './local-address';
export * from './presets';
export * from './provider-kinds';
export * from './quirks-schema';
export * from './vertex-options';
