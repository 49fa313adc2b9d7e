export * from './cpu-time-quota';
export * from './fair-semaphore';
export * from './memory-quota';
export * from './quota';
export * from './request-coalescer';
export * from './single-flight-cache';
