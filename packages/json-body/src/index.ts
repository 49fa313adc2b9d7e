export * from './json-members';
export * from './parse-json-object';
export * from './safe-parse';
