/** Nothing listens there: the service of its name (`tcpmux`) is of the past, and whoever takes any free port gets a higher one. */
export const CLOSED_PORT = 1;
