/** A response with its input, and a call in the background with its input. They fit into a message of gRPC, which has 16 MiB. */
export const MAX_RESPONSE_BYTES = 12 * 1024 ** 2;
