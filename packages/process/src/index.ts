export * from './admin-server';
export * from './connection-files';
export * from './every';
export * from './log';
export * from './quota-metrics';
export * from './run-service';
export * from './security-log';
export * from './settings';
