export * from './listed-model';
export * from './media-features';
export * from './model-access';
export * from './model-names';
export * from './to-listed-model';
