export * from './ip-address';
export * from './login-token';
