/** A port without a listener: its service (`tcpmux`) is obsolete, and ephemeral ports are higher. */
export const CLOSED_PORT = 1;
