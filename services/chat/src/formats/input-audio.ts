import { z } from 'zod';

/** Audio in a message, in OpenAI's formats. Providers may know more formats than OpenAI's `wav` and `mp3`. */
export const inputAudio = z.looseObject({ data: z.string().min(1), format: z.string().min(1).max(64) });
