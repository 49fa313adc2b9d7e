export * from './credentials-key';
export * from './key-encryption-keys';
export * from './sealed-secret';
export * from './secret-reference';
