import type { ChannelOptions } from '@grpc/grpc-js';

/** Largest message in either direction. Bodies are sent in slices far below it. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const SHARED_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  // Many calls share one stream; its default window of 64 KiB would throttle all of them.
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
};

/**
 * A peer that is frozen or cut off is given up after 3 to 4 s. The timeout is much longer than the interval, because an
 * event loop that is busy, in this process or in the peer, delays the answer to a ping by as much.
 */
export const CLIENT_OPTIONS: ChannelOptions = {
  ...SHARED_OPTIONS,
  // Without it, grpc-js sends calls through the proxy that `https_proxy` or `http_proxy` names.
  'grpc.enable_http_proxy': 0,
  'grpc.keepalive_time_ms': 1_000,
  'grpc.keepalive_timeout_ms': 3_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
};

/** A client that is frozen or cut off costs memory only. Its calls are cancelled after 25 s. */
export const SERVER_OPTIONS: ChannelOptions = {
  ...SHARED_OPTIONS,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
};
