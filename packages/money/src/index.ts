export * from './int64';
export * from './usd';
