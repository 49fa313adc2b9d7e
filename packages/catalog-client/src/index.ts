export * from './catalog-watch';
