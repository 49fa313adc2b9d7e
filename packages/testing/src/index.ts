export * from './dns-server';
export * from './empty-database';
export * from './s3-server';
export * from './scratch-postgres';
export * from './service-database';
export * from './test-database';
export * from './until';
export * from './wav';
