export * from './presets';
export * from './provider-kinds';
export * from './quirks-schema';
