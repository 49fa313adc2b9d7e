export * from './body-room';
export * from './byte-shares';
export * from './call-places';
export * from './fresh-questions';
