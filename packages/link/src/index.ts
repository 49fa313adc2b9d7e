export type { LinkCall, LinkHandler, LinkReply } from './answered-call';
export * from './json-reply';
export * from './large-garbage';
export * from './link-client';
export * from './link-limits';
export * from './link-server';
