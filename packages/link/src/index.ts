export * from './collect-large-buffers';
export * from './json-reply';
export * from './link-client';
export * from './link-limits';
export * from './link-server';
export * from './route-call';
export type { LinkCall, LinkHandler, LinkReply } from './server-call';
export * from './unrecorded';
