import { randomUUIDv7 } from 'node:crypto';

export const newTaskId = (): string => `task_${randomUUIDv7()}`;
