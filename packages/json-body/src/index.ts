export * from './json-members';
export * from './parse-json-object';
