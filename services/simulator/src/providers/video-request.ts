import type { Size } from '../domain/files/size';
import { textPrompt } from '../domain/prompt';
import type { Job } from '../domain/task';
import type { TaskRequest } from './task-protocol';

export const videoRequest = (model: string, job: Omit<Job, 'format'>): TaskRequest => ({
  model,
  stream: false,
  prompt: textPrompt(job.text),
  job: { ...job, format: 'mp4' },
});

/** Returns the pixels of a video, both even: the shorter edge follows from the resolution, the other from the ratio. */
export function videoSize(shortEdge: number, ratio: string): Size {
  const [across = 16, down = 9] = ratio.split(':').map(Number);
  const even = (edge: number) => 2 * Math.round(edge / 2);
  return across >= down
    ? { width: even((shortEdge * across) / down), height: shortEdge }
    : { width: shortEdge, height: even((shortEdge * down) / across) };
}
