export * from './arrived-account';
export * from './catalog-watch';
export * from './provider-directory';
export * from './provider-watch';
export * from './resolve-secret';
