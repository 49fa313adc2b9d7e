export * from './dashboard-error-table';
export * from './envelope';
export * from './error-frame';
export * from './error-table';
export * from './gateway-error';
export * from './rate-figures';
