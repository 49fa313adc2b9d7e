export * from './cost';
export * from './pricing';
export * from './proto-prices';
export * from './rates';
