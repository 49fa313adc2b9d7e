export * from './key-addresses';
export * from './key-scopes';
export * from './listed-model';
export * from './media-features';
export * from './model-names';
export * from './model-permissions';
export * from './to-listed-model';
