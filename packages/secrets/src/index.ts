export * from './key-encryption-keys';
export * from './sealed-secret';
