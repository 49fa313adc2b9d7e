export * from './find-addresses';
export * from './http-client';
