import type { ProviderCall } from '../images/rules/image-provider';
import type {
  Submitted,
  TaskReport,
  UpstreamTask,
  VideoContent,
  VideoOrder,
  VideoProvider,
} from '../videos/rules/video-provider';

type Scripted<T> = T | Error | ((signal?: AbortSignal) => Promise<T>);

/** A provider whose behavior a test sets; records its orders and polls. */
export class FakeVideoProvider implements VideoProvider {
  readonly fetchesLinks = true;
  readonly orders: VideoOrder[] = [];
  readonly polls: UpstreamTask[] = [];
  accepts: Scripted<Submitted> | undefined;
  reports: Scripted<TaskReport> = { state: 'queued' };
  externalTaskId?: (order: VideoOrder, requestId: string) => string;
  openContent?: (url: string) => Promise<VideoContent>;

  constructor(readonly id: string) {}

  async submit(order: VideoOrder): Promise<Submitted> {
    this.orders.push(order);
    const { upstreamModel } = order;
    return play(this.accepts ?? { upstreamId: `up-${this.orders.length}`, upstreamModel });
  }

  async poll({ upstreamId, upstreamModel }: UpstreamTask, { signal }: ProviderCall): Promise<TaskReport> {
    this.polls.push({ upstreamId, upstreamModel });
    return play(this.reports, signal);
  }
}

function play<T>(scripted: Scripted<T>, signal?: AbortSignal): Promise<T> | T {
  if (scripted instanceof Error) throw scripted;
  return typeof scripted === 'function'
    ? (scripted as (signal?: AbortSignal) => Promise<T>)(signal)
    : scripted;
}
