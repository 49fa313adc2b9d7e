export * from './dashboard-error-table';
export * from './envelope';
export * from './error-detail';
export * from './error-table';
export * from './gateway-error';
export * from './load';
export * from './login-token';
export * from './usd';
