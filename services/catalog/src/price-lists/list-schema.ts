import { z } from 'zod';
import { text } from '../seed/seed-types';

/** As in the catalog's files. */
export const providerId = text(64);
export const modelName = text(200);
export const tierName = text(64);

/** A limit of tokens; 0 if the list has no usable one. */
export const tokenLimit = z.number().int().min(0).max(2_000_000_000).catch(0);
export const flag = z.boolean().catch(false);
export const words = z.array(z.string()).catch([]);

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Returns the catalog's capabilities for efforts; unknown efforts are omitted. */
export const effortCapabilities = (efforts: readonly unknown[]): string[] =>
  EFFORTS.filter((effort) => efforts.includes(effort)).map((effort) => `effort_${effort}`);
