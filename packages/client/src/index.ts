export type { Clock } from './clock.ts';
export type { ClientCode, ErrorCode, ErrorType, GatewayCode } from './error-codes.ts';
export * from './gateway-client.ts';
export { GatewayError, isGatewayError } from './gateway-error.ts';
export * from './options.ts';
export * from './replies.ts';
export type { GenerateOptions, TaskRef, Videos, WaitOptions } from './videos.ts';
