export * from './await-migrations';
export { directUrl, serverUrls, withHostsOf } from './database-url';
export * from './migrate';
export * from './postgres';
export * from './run-migration';
export * from './service-role';
export { createClient } from './writable-server';
