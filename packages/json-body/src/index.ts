export * from './empty-model';
export * from './json-members';
export * from './missing-parameter';
export * from './parse-json-object';
export { refuseExcess } from './refuse-excess';
export * from './safe-parse';
export * from './top-level-scalar';
