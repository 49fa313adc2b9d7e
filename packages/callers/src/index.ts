export * from './callers';
export * from './pair-settings';
