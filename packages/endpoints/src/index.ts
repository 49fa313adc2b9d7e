export * from './endpoint';
export {
  ENDPOINTS,
  type EndpointName,
  type KnownEndpoint,
  type QueryName,
  type ReplyName,
} from './endpoints';
export * from './find-endpoint';
