export * from './await-migrations';
export * from './migrate';
export * from './postgres';
export * from './run-migration';
export * from './service-role';
