import type { Size } from '../domain/files/size';

/** Pixels of a video: its shorter edge by resolution, the other by ratio, both even. */
export function videoSize(shortEdge: number, ratio: string): Size {
  const [across = 16, down = 9] = ratio.split(':').map(Number);
  const even = (edge: number) => 2 * Math.round(edge / 2);
  return across >= down
    ? { width: even((shortEdge * across) / down), height: shortEdge }
    : { width: shortEdge, height: even((shortEdge * down) / across) };
}
