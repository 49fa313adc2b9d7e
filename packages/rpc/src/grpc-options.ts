import type { ChannelOptions } from '@grpc/grpc-js';

/** Largest message in either direction. Bodies are sent in slices far below it. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** For servers and clients. By default gRPC has keepalive off and a message limit of 4 MiB. */
export const CHANNEL_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  // Many calls share one stream; its default window of 64 KiB would throttle all of them.
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
};
