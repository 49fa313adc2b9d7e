export * from './empty-model';
export { CLOSE_BRACKET, OPEN_BRACKET, QUOTE, skipSpace, stringEnd } from './json-bytes';
export * from './json-members';
export * from './missing-parameter';
export * from './parse-json-object';
export { refuseExcess } from './refuse-excess';
export * from './safe-parse';
export * from './top-level-scalar';
