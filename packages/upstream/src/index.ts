export * from './circuit-breaker';
export * from './route';
export * from './target';
export * from './target-health';
export * from './upstream-failure';
