export type { Duration } from './duration';
export * from './measure-audio';
export { mpegFrameAt } from './mpeg-frame';
